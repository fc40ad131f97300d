import { fieldAt, fieldsOf, fieldText, nameField, namespaceField, simpleField } from '../../../selectors/kind-fields';
import { keepMetadata, resettable } from '../../../strategy/status-update';
import type { KindDescription } from '../../behaviour';
import { podAsAsked } from './as-asked';
import { setPodDefaults } from './defaults';
import { podRow } from './row';
import { prepareEphemeralContainers, prepareNewPod, preparePodStatus, prepareResize } from './strategy';
import { validatePodCreate, validatePodStatusUpdate } from './validation/pod';
import { validateEphemeralContainersUpdate, validateResize } from './validation/pod-subresources';
import { validatePodUpdate } from './validation/pod-update';
import { warnAboutNewAppArmor } from './app-armor';
import { warnAboutPod, warnAboutPodAddresses } from './warnings';

export const pods: KindDescription = {
  name: 'pods',
  served: true,
  generation: 'managed',
  deletionReturnsObject: true,
  gracefulDeletion: true,
  fields: fieldsOf(
    nameField,
    namespaceField,
    simpleField('spec.nodeName'),
    ['spec.host', fieldAt('spec', 'nodeName')],
    simpleField('spec.restartPolicy'),
    simpleField('spec.schedulerName'),
    simpleField('spec.serviceAccountName'),
    ['spec.hostNetwork', (pod) => String(pod.spec?.hostNetwork === true)],
    simpleField('status.phase'),
    ['status.podIP', (pod) => fieldText(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP)],
    // Known by name only: upstream never fills it, so no value but the empty one matches.
    ['status.podIPs', () => ''],
    simpleField('status.nominatedNodeName'),
  ),
  setDefaults: setPodDefaults,
  strategy: {
    create: prepareNewPod,
    asAsked: podAsAsked,
    owns: {
      status: { except: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'] },
      // What these two drop of a write, its writer owns all the same.
      ephemeralcontainers: { except: [] },
      resize: { except: [] },
    },
    subresources: {
      status: preparePodStatus,
      ephemeralcontainers: (updated, old) => keepMetadata(prepareEphemeralContainers(updated, old), old, resettable),
      resize: (updated, old) => {
        const prepared = prepareResize(updated, old);
        return prepared === updated ? updated : keepMetadata(prepared, old, resettable);
      },
    },
  },
  validation: {
    create: validatePodCreate,
    update: validatePodUpdate,
    subresources: { status: validatePodStatusUpdate, ephemeralcontainers: validateEphemeralContainersUpdate, resize: validateResize },
  },
  // Pods are warned about at their creation only.
  warn: (pod, old, warnings, sent) => {
    if (old) return;
    warnAboutNewAppArmor(pod, sent, warnings);
    warnAboutPod(pod, warnings);
  },
  warnOfStatus: warnAboutPodAddresses,
  row: podRow,
};
