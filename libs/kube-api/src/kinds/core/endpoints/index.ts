import { hostPort, type JsonObject, type KubeObject } from '#libs/kernel';
import { listIn, setEmpty } from '../../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../../printing/cell';
import { required } from '../../../status/field-error';
import { semanticEqual } from '../../../strategy/equality';
import { isDnsSubdomain, isPortNumber } from '../../../validation/formats';
import { validateEndpointIP, validateLegacyIP, warnAboutIP } from '../../../validation/legacy-addresses';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import {
  isSet,
  listOf,
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
  validateRequiredSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../validation/values';
import type { KindDescription } from '../../behaviour';

function setEndpointsDefaults(endpoints: JsonObject): void {
  for (const subset of listIn(endpoints, 'subsets')) for (const port of listIn(subset, 'ports')) setEmpty(port, 'protocol', 'TCP');
}

function validateEndpoints(endpoints: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  validateMetadata(endpoints.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  const found: Errors = [];
  for (const [index, subset] of listOf(endpoints.subsets).entries()) validateSubset(subset, `subsets[${index}]`, found);
  if (found.length > 0 && !(old && semanticEqual(endpoints.subsets, old.subsets))) errors.push(...found);
}

const addressLists = ['addresses', 'notReadyAddresses'] as const;

function validateSubset(subset: Loose, field: string, errors: Errors): void {
  if (addressLists.every((list) => listOf(subset[list]).length === 0)) {
    errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const list of addressLists) {
    for (const [index, address] of listOf(subset[list]).entries()) validateAddress(address, `${field}.${list}[${index}]`, errors);
  }
  const ports = listOf(subset.ports);
  for (const [index, port] of ports.entries()) validatePort(port, ports.length > 1, `${field}.ports[${index}]`, errors);
}

function validateAddress({ ip = '', hostname, nodeName }: Loose, field: string, errors: Errors): void {
  validateLegacyIP(ip, `${field}.ip`, errors);
  if (hostname) validateDnsLabel(hostname, `${field}.hostname`, errors);
  if (isSet(nodeName)) validateDnsSubdomain(nodeName, `${field}.nodeName`, errors);
  validateEndpointIP(ip, `${field}.ip`, errors);
}

function validatePort({ name = '', port = 0, protocol, appProtocol }: Loose, named: boolean, field: string, errors: Errors): void {
  if (name !== '') validateDnsLabel(name, `${field}.name`, errors);
  else if (named) errors.push(required(`${field}.name`));
  validateTexts(isPortNumber(port), port, `${field}.port`, errors);
  validateRequiredSupported(protocol, ['SCTP', 'TCP', 'UDP'], `${field}.protocol`, errors);
  if (isSet(appProtocol)) validateQualifiedName(appProtocol, `${field}.appProtocol`, errors);
}

function validateEndpointsUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateEndpoints(updated, old, errors);
}

function warnAboutEndpoints(endpoints: KubeObject, warnings: string[]): void {
  if (endpoints.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return;
  for (const [index, subset] of listOf(endpoints.subsets).entries()) {
    for (const list of addressLists) {
      for (const [position, { ip = '' }] of listOf(subset[list]).entries()) {
        warnAboutIP(ip, `subsets[${index}].${list}[${position}].ip`, warnings);
      }
    }
  }
}

const shownMax = 3;

/** Every address with every port, the first few of them. */
function endpointsText(subsets: readonly Loose[]): string {
  if (subsets.length === 0) return none;
  const all = subsets.flatMap(({ addresses, ports }: Loose): string[] => {
    const ips = listOf(addresses).map(({ ip }): string => ip);
    if (listOf(ports).length === 0) return ips;
    return listOf(ports).flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
  });
  const shown = all.slice(0, shownMax).join(',');
  return all.length > shownMax ? `${shown} + ${all.length - shownMax} more...` : shown;
}

export const endpoints: KindDescription = {
  name: 'endpoints',
  served: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  createOnUpdate: true,
  setDefaults: setEndpointsDefaults,
  validation: { create: (object, errors) => validateEndpoints(object, undefined, errors), update: validateEndpointsUpdate },
  warn: (object, _old, warnings) => warnAboutEndpoints(object, warnings),
  row: rowOf((object, now) => [nameOf(object), endpointsText(listOf(object.subsets)), age(object, now)]),
};
