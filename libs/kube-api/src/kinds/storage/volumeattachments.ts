import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { forbidden, invalidValue, required, tooLong } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { keepMetadata, resettable, statusUpdate } from '../../strategy/status-update';
import { byteLength, isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateMetadata } from '../../validation/metadata';
import { entriesOf, immutableText, isSet, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateVolumeSpec } from '../core/persistentvolumes/validation';
import { setVolumeSpecDefaults } from '../core/persistentvolumes/defaults';
import { validateCsiDriverName } from '../core/volumes/sources';

const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;

function setAttachmentDefaults(attachment: JsonObject): void {
  const source = objectIn(objectIn(attachment, 'spec') ?? {}, 'source');
  const inline = source && objectIn(source, 'inlineVolumeSpec');
  if (inline) setVolumeSpecDefaults(inline);
}

function validateAttachment(attachment: KubeObject, errors: Errors): void {
  validateMetadata(attachment.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  const { attacher = '', source = {}, nodeName = '' }: Loose = attachment.spec ?? {};
  if (attacher === '') errors.push(required('spec.attacher'));
  validateSource(source, 'spec.source', errors);
  validateTexts(isDnsSubdomain(nodeName), nodeName, 'spec.nodeName', errors);
  validateStatus(attachment.status ?? {}, errors);
}

function validateSource({ inlineVolumeSpec, persistentVolumeName }: Loose, field: string, errors: Errors): void {
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!isSet(inlineVolumeSpec) && !isSet(persistentVolumeName)) errors.push(required(field, text));
  else if (isSet(inlineVolumeSpec) && isSet(persistentVolumeName)) errors.push(forbidden(field, text));
  else if (persistentVolumeName === '') {
    errors.push(required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName'));
  } else if (isSet(inlineVolumeSpec)) {
    validateVolumeSpec(inlineVolumeSpec, { volume: '', inline: true, attributesClass: false }, `${field}.inlineVolumeSpec`, errors);
  }
}

function validateStatus(status: Loose, errors: Errors): void {
  let bytes = 0;
  for (const [key, value] of entriesOf(status.attachmentMetadata)) bytes += byteLength(key) + byteLength(value);
  if (bytes > metadataBytesMax) errors.push(tooLong('status.attachmentMetadata', metadataBytesMax));
  for (const key of ['attachError', 'detachError']) {
    // The bound in the text is not the one that is checked, as upstream's is not.
    if (byteLength(status[key]?.message ?? '') > messageBytesMax) errors.push(tooLong(`status.${key}.message`, metadataBytesMax));
  }
}

/** Newer than the first version of the kind, so not asked of those that are there already. */
function validateNewAttachment(attachment: KubeObject, errors: Errors): void {
  validateAttachment(attachment, errors);
  const { attacher = '', source }: Loose = attachment.spec ?? {};
  validateCsiDriverName(attacher, 'spec.attacher', errors);
  const name = source?.persistentVolumeName;
  if (isSet(name)) validateTexts(isDnsSubdomain(name), name, 'spec.source.persistentVolumeName', errors);
}

/** Upstream checks the whole twice at an update. */
function validateAttachmentUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAttachment(updated, errors);
  validateAttachment(updated, errors);
  if (!semanticEqual(updated.spec, old.spec)) {
    errors.push(invalidValue('spec', goShape('VolumeAttachmentSpec', updated.spec), immutableText));
  }
}

/** An error's code is of a feature that is off by default in the recorded release (MutableCSINodeAllocatableCount). */
function withoutErrorCodes(attachment: KubeObject): KubeObject {
  const status: Loose = { ...attachment.status };
  for (const key of ['attachError', 'detachError']) {
    if (!isSet(status[key]?.errorCode)) continue;
    const { errorCode: _, ...rest } = status[key];
    status[key] = rest;
  }
  return { ...attachment, status };
}

export const volumeattachments: KindDescription = {
  name: 'volumeattachments.storage.k8s.io',
  served: true,
  conditionalUpdateOnly: true,
  deletionReturnsObject: true,
  formerVersions: ['storage.k8s.io/v1beta1'],
  setDefaults: setAttachmentDefaults,
  strategy: {
    zeroStatus: { attached: false },
    owns: { status: { except: ['metadata', 'spec'] } },
    subresources: { status: (updated, old) => withoutErrorCodes(keepMetadata(statusUpdate(updated, old), old, resettable)) },
  },
  validation: {
    create: validateNewAttachment,
    update: validateAttachmentUpdate,
    subresources: { status: validateAttachmentUpdate },
  },
  row: rowOf((attachment, now) => {
    const { attacher = '', source, nodeName = '' }: Loose = attachment.spec ?? {};
    const attached = attachment.status?.attached === true;
    return [nameOf(attachment), attacher, source?.persistentVolumeName ?? '', nodeName, attached, age(attachment, now)];
  }),
};
