import type { KubeObject } from '#libs/kernel';
import { fieldsOf, nameField, namespaceField, simpleField } from '../../../selectors/kind-fields';
import type { Failure } from '../../../status';
import type { AllocationContext } from '../../../strategy/allocation';
import type { KindDescription } from '../../behaviour';
import { validateAddressing } from './addressing';
import { allocateService } from './allocation';
import { setServiceDefaults } from './defaults';
import { serviceRow } from './row';
import { prepareNewService, prepareServiceUpdate, serviceAsAsked } from './strategy';
import { validateService } from './validation';
import { validateServiceStatusUpdate, validateServiceUpdate } from './validation-of-updates';

/** Cluster IPs of the recorded control plane's default range. */
export const defaultServiceCidr = '10.0.0.0/24';

/** Addresses and node ports that no other Service has. */
function allocated(object: KubeObject, old: KubeObject | undefined, context: AllocationContext): KubeObject | Failure {
  const addresses = new Set<string>();
  const ports = new Set<number>();
  for (const service of context.list('services')) {
    if (service.metadata.uid === object.metadata.uid) continue;
    for (const address of (service.spec?.clusterIPs as string[] | undefined) ?? []) addresses.add(address);
    for (const port of (service.spec?.ports as { nodePort?: number }[] | undefined) ?? []) if (port.nodePort) ports.add(port.nodePort);
  }
  const ranges = {
    clusterIPs: context.serviceCidr ?? defaultServiceCidr,
    usesIP: (address: string) => addresses.has(address),
    usesPort: (port: number) => ports.has(port),
    chance: (bound: number) => context.chance(bound, 'service'),
  };
  return allocateService(object, ranges, old);
}

function warnAboutService(service: KubeObject, warnings: string[]): void {
  const { type, externalName, sessionAffinity, clusterIP } = service.spec ?? {};
  if (externalName && type !== 'ExternalName') warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (clusterIP === 'None' && sessionAffinity && sessionAffinity !== 'None') {
    warnings.push('spec.SessionAffinity is ignored for headless services');
  }
}

export const services: KindDescription = {
  name: 'services',
  served: true,
  createOnUpdate: true,
  deletionReturnsObject: true,
  fields: fieldsOf(nameField, namespaceField, simpleField('spec.clusterIP'), simpleField('spec.type')),
  setDefaults: setServiceDefaults,
  strategy: { create: prepareNewService, asAsked: serviceAsAsked, update: prepareServiceUpdate, allocate: allocated },
  validation: {
    first: validateAddressing,
    create: validateService,
    update: validateServiceUpdate,
    subresources: { status: validateServiceStatusUpdate },
  },
  warn: (service, _old, warnings) => warnAboutService(service, warnings),
  row: serviceRow,
};
