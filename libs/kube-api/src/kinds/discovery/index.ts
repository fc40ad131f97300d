import type { JsonObject, KubeObject } from '#libs/kernel';
import { listIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { validateLabelMap } from '../../selectors/object-selector';
import { duplicate, invalidValue, required, tooMany } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsLabel, isDnsSubdomain, isLabelValue } from '../../validation/formats';
import { parseLegacyAddress, validateEndpointIP, validateLegacyIP, validateStrictIP, warnAboutIP } from '../../validation/legacy-addresses';
import { validateMetadata } from '../../validation/metadata';
import {
  isSet,
  listOf,
  validateDnsLabel,
  validateDnsSubdomain,
  validateImmutable,
  validateQualifiedName,
  validateRequiredSupported,
  validateSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../validation/values';
import type { KindDescription } from '../behaviour';

const endpointsMax = 1_000;
const addressesMax = 100;
const portsMax = 20_000;
const topologyLabelsMax = 16;
const hintsMax = 8;

function setSliceDefaults(slice: JsonObject): void {
  for (const port of listIn(slice, 'ports')) {
    setAbsent(port, 'name', '');
    setAbsent(port, 'protocol', 'TCP');
  }
}

/** Labels of topology are of an older version of the kind, and are dropped. */
function prepared(slice: KubeObject): KubeObject {
  const endpoints = listOf(slice.endpoints).map((endpoint: Loose) => {
    const { deprecatedTopology: _, ...rest } = endpoint;
    return rest;
  });
  return endpoints.length > 0 ? { ...slice, endpoints } : slice;
}

/** The generation follows labels as well, and what is dropped. */
function updated(slice: KubeObject, old: KubeObject): KubeObject {
  const result = prepared(slice);
  const isSame = semanticEqual({ ...slice, metadata: 0 }, { ...old, metadata: 0 });
  if (isSame && semanticEqual(slice.metadata.labels, old.metadata.labels, 'labels')) return result;
  return { ...result, metadata: { ...result.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

function validateSlice(slice: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  validateMetadata(slice.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  const type = slice.addressType as string | undefined;
  validateRequiredSupported(type, ['FQDN', 'IPv4', 'IPv6'], 'addressType', errors);
  validatePorts(listOf(slice.ports), 'ports', errors);
  const found: Errors = [];
  validateEndpoints(listOf(slice.endpoints), type ?? '', 'endpoints', found);
  if (found.length > 0 && !(old && semanticEqual(slice.endpoints, old.endpoints))) errors.push(...found);
}

function validatePorts(ports: readonly Loose[], field: string, errors: Errors): void {
  if (ports.length > portsMax) {
    errors.push(tooMany(field, ports.length, portsMax));
    return;
  }
  const names = new Set<string>();
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    const at = `${field}[${index}]`;
    if (name !== '') validateDnsLabel(name, `${at}.name`, errors);
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    validateSupported(protocol, ['SCTP', 'TCP', 'UDP'], `${at}.protocol`, errors);
    if (isSet(appProtocol)) validateQualifiedName(appProtocol, `${at}.appProtocol`, errors);
  }
}

function validateEndpoints(endpoints: readonly Loose[], type: string, field: string, errors: Errors): void {
  if (endpoints.length > endpointsMax) {
    errors.push(tooMany(field, endpoints.length, endpointsMax));
    return;
  }
  for (const [index, endpoint] of endpoints.entries()) {
    const at = `${field}[${index}]`;
    const addresses = listOf(endpoint.addresses);
    if (addresses.length === 0) errors.push(required(`${at}.addresses`, 'must contain at least 1 address'));
    else if (addresses.length > addressesMax) errors.push(tooMany(`${at}.addresses`, addresses.length, addressesMax));
    for (const [position, address] of addresses.entries()) validateAddress(address, type, `${at}.addresses`, position, errors);
    if (isSet(endpoint.nodeName)) validateDnsSubdomain(endpoint.nodeName, `${at}.nodeName`, errors);
    const topology = endpoint.deprecatedTopology ?? {};
    const labels = Object.keys(topology).length;
    if (labels > topologyLabelsMax) errors.push(tooMany(`${at}.deprecatedTopology`, labels, topologyLabelsMax));
    errors.push(...validateLabelMap(topology, `${at}.deprecatedTopology`));
    if (isSet(endpoint.hostname)) validateDnsLabel(endpoint.hostname, `${at}.hostname`, errors);
    if (isSet(endpoint.hints)) validateHints(endpoint.hints, `${at}.hints`, errors);
  }
}

/** What an address must be is told at the list, and what is wrong with it at the address. */
function validateAddress(address: string, type: string, list: string, position: number, errors: Errors): void {
  const field = `${list}[${position}]`;
  if (type === 'FQDN') {
    validateDomainName(address, field, errors);
    return;
  }
  if (type !== 'IPv4' && type !== 'IPv6') return;
  const found = errors.length;
  if (type === 'IPv4') validateLegacyIP(address, field, errors);
  else validateStrictIP(address, field, errors);
  if (errors.length > found) return;
  const family = parseLegacyAddress(address)?.family === 4 ? 'IPv4' : 'IPv6';
  if (family !== type) errors.push(invalidValue(list, address, `must be an ${type} address`));
  validateEndpointIP(address, field, errors);
}

function validateDomainName(name: string, field: string, errors: Errors): void {
  if (name === '') {
    errors.push(required(field));
    return;
  }
  const domain = name.replace(/\.$/, '');
  const texts = isDnsSubdomain(domain);
  const labels = domain.split('.');
  if (texts.length > 0) errors.push(invalidValue(field, domain, texts.join(',')));
  else if (labels.length < 2) errors.push(invalidValue(field, domain, 'should be a domain with at least two segments separated by dots'));
  else {
    const wrong = labels.find((label) => isDnsLabel(label).length > 0);
    if (wrong !== undefined) errors.push(invalidValue(field, wrong, isDnsLabel(wrong).join(',')));
  }
}

function validateHints({ forZones, forNodes }: Loose, field: string, errors: Errors): void {
  const isWhole = validateHintList(listOf(forZones), isLabelValue, `${field}.forZones`, errors);
  if (isWhole) validateHintList(listOf(forNodes), isDnsSubdomain, `${field}.forNodes`, errors);
}

/** Whether there are few enough of them that they are looked at. */
function validateHintList(hints: readonly Loose[], format: (name: string) => string[], field: string, errors: Errors): boolean {
  if (hints.length > hintsMax) {
    errors.push(tooMany(field, hints.length, hintsMax));
    return false;
  }
  const names = new Set<string>();
  for (const [index, { name = '' }] of hints.entries()) {
    const at = `${field}[${index}].name`;
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    validateTexts(format(name), name, at, errors);
  }
  return true;
}

function validateSliceUpdate(slice: KubeObject, old: KubeObject, errors: Errors): void {
  validateSlice(slice, old, errors);
  validateImmutable(slice.addressType, old.addressType, 'addressType', errors);
}

const ownManagers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function warnAboutSlice(slice: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  if (!old && slice.addressType === 'FQDN') warnings.push('spec.addressType: FQDN endpoints are deprecated');
  if (ownManagers.includes(slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '')) return;
  for (const [index, { addresses }] of listOf(slice.endpoints).entries()) {
    for (const [position, address] of listOf(addresses).entries()) {
      warnAboutIP(address, `endpoints[${index}].addresses[${position}]`, warnings);
    }
  }
}

const shownMax = 3;

/** The first few, and how many more there are. */
function fewOf(list: readonly unknown[]): string {
  const shown = list.slice(0, shownMax).join(',');
  if (list.length > shownMax) return `${shown} + ${list.length - shownMax} more...`;
  return shown || '<unset>';
}

const endpointslices: KindDescription = {
  name: 'endpointslices.discovery.k8s.io',
  served: true,
  generation: 'managed',
  formerVersions: ['discovery.k8s.io/v1beta1'],
  setDefaults: setSliceDefaults,
  strategy: { create: prepared, update: updated },
  validation: { create: (slice, errors) => validateSlice(slice, undefined, errors), update: validateSliceUpdate },
  warn: warnAboutSlice,
  row: rowOf((slice, now) => [
    nameOf(slice),
    (slice.addressType as string | undefined) ?? '',
    fewOf(listOf(slice.ports).map(({ port, name }) => port ?? name ?? '*')),
    fewOf(listOf(slice.endpoints).flatMap(({ addresses }) => listOf(addresses))),
    age(slice, now),
  ]),
};

export const discoveryKinds: readonly KindDescription[] = [endpointslices];
