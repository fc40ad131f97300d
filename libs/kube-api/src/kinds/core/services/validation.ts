import type { KubeObject } from '#libs/kernel';
import { duplicate, forbidden, invalidValue, required } from '../../../status/field-error';
import { validateLabelMap } from '../../../selectors/object-selector';
import { isDns1035Label, isPortNumber } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { validateEndpointIP, validateLegacyCidr, validateLegacyIP } from '../../../validation/legacy-addresses';
import { validateMetadata } from '../../../validation/metadata';
import { isHeadlessSpec, validateClusterIPs } from './addressing';
import type { Errors, Loose } from '../../../validation/values';
import {
  isSet,
  listOf,
  validateDnsLabel,
  validateDnsSubdomain,
  validatePort,
  validateQualifiedName,
  validateRequiredSupported,
  validateSupported,
  validateTexts,
} from '../../../validation/values';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function validateService(service: KubeObject, errors: Errors): void {
  validateMetadata(service.metadata, { namespaced: true, name: isDns1035Label }, errors);
  validateServiceRules(service, undefined, errors);
}

const hints = 'service.kubernetes.io/topology-aware-hints';
const mode = 'service.kubernetes.io/topology-mode';

/** Rules of new and of changed Services, beside those of their metadata. */
export function validateServiceRules(service: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  const annotations = service.metadata.annotations ?? {};
  if (Object.hasOwn(annotations, hints) && Object.hasOwn(annotations, mode) && annotations[hints] !== annotations[mode]) {
    const text = `must match annotations[${hints}] when both are specified`;
    errors.push(invalidValue(`metadata.annotations[${mode}]`, annotations[mode], text));
  }
  const spec: Loose = service.spec ?? {};
  const ports = listOf(spec.ports);
  if (ports.length === 0 && !isHeadlessSpec(spec) && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  validateByType(spec, errors);
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) validateServicePort(port, ports.length > 1, names, `spec.ports[${index}]`, errors);
  errors.push(...validateLabelMap(spec.selector, 'spec.selector'));
  validateSessionAffinity(spec, errors);
  validateClusterIPs(spec, errors);
  for (const [index, ip] of listOf(spec.externalIPs).entries()) {
    const field = `spec.externalIPs[${index}]`;
    if (validateLegacyIP(ip, field, errors)) validateEndpointIP(ip, field, errors);
  }
  validateRequiredSupported(spec.type, types, 'spec.type', errors);
  validatePortUse(spec, ports, errors);
  validateSourceRanges(service, old, errors);
  validateLoadBalancer(spec, errors);
  validateTraffic(spec, errors);
}

function validateByType(spec: Loose, errors: Errors): void {
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadlessSpec(spec)) {
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type !== 'ExternalName') return;
  const text = 'may not be set for ExternalName services';
  if (listOf(spec.clusterIPs).length > 0) errors.push(forbidden('spec.clusterIPs', text));
  if (listOf(spec.ipFamilies).length > 0) errors.push(forbidden('spec.ipFamilies', text));
  if (isSet(spec.ipFamilyPolicy)) errors.push(forbidden('spec.ipFamilyPolicy', text));
  const name: string = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.push(required('spec.externalName'));
  else validateDnsSubdomain(name, 'spec.externalName', errors);
}

function validateServicePort(port: Loose, named: boolean, names: Set<string>, field: string, errors: Errors): void {
  const name: string = port.name ?? '';
  if (name === '') {
    if (named) errors.push(required(`${field}.name`));
  } else {
    validateDnsLabel(name, `${field}.name`, errors);
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    else names.add(name);
  }
  const number: number = port.port ?? 0;
  validateTexts(isPortNumber(number), number, `${field}.port`, errors);
  validateRequiredSupported(port.protocol, ['SCTP', 'TCP', 'UDP'], `${field}.protocol`, errors);
  validatePort(port.targetPort, `${field}.targetPort`, errors);
  if (isSet(port.appProtocol)) validateQualifiedName(port.appProtocol, `${field}.appProtocol`, errors);
}

const affinitySecondsMax = 86400;

function validateSessionAffinity(spec: Loose, errors: Errors): void {
  const { sessionAffinity, sessionAffinityConfig: config } = spec;
  validateRequiredSupported(sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity', errors);
  const field = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'None' && isSet(config)) errors.push(forbidden(field, 'must not be set when session affinity is None'));
  if (sessionAffinity !== 'ClientIP') return;
  const text = 'when session affinity type is ClientIP';
  const seconds = config?.clientIP?.timeoutSeconds;
  if (!isSet(config)) errors.push(required(field, text));
  else if (!isSet(config.clientIP)) errors.push(required(`${field}.clientIP`, text));
  else if (!isSet(seconds)) errors.push(required(`${field}.clientIP.timeoutSeconds`, text));
  else if (seconds <= 0 || seconds > affinitySecondsMax) {
    const range = `must be greater than 0 and less than ${affinitySecondsMax}`;
    errors.push(invalidValue(`${field}.clientIP.timeoutSeconds`, seconds, range));
  }
}

function validatePortUse(spec: Loose, ports: Loose[], errors: Errors): void {
  const nodePorts = new Set<string>();
  const portKeys = new Set<string>();
  for (const [index, port] of ports.entries()) {
    if (spec.type === 'ClusterIP' && port.nodePort) {
      errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort) continue;
    const key = `${port.protocol}/${port.nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(`spec.ports[${index}].nodePort`, port.nodePort));
    nodePorts.add(key);
  }
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (portKeys.has(key)) errors.push(duplicate(`spec.ports[${index}]`, goShape('ServicePort', { protocol, port })));
    portKeys.add(key);
  }
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** From where a balancer may be reached: told by a field, or by the annotation of the time before it. */
function validateSourceRanges({ metadata, spec = {} }: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  const balanced = spec.type === 'LoadBalancer';
  const ranges: string[] = listOf(spec.loadBalancerSourceRanges);
  const told = metadata.annotations?.[rangesAnnotation];
  if (ranges.length > 0) {
    if (!balanced) errors.push(forbidden('spec.LoadBalancerSourceRanges', onlyBalanced));
    for (const [index, range] of ranges.entries()) validateLegacyCidr(range.trim(), `spec.LoadBalancerSourceRanges[${index}]`, errors);
  } else if (told !== undefined) {
    const field = `metadata.annotations[${rangesAnnotation}]`;
    if (!balanced) errors.push(forbidden(field, onlyBalanced));
    if (old?.metadata.annotations?.[rangesAnnotation] === told || told.trim() === '') return;
    for (const range of told.trim().split(',')) validateLegacyCidr(range.trim(), field, errors);
  }
}

function validateLoadBalancer(spec: Loose, errors: Errors): void {
  const balanced = spec.type === 'LoadBalancer';
  if (isSet(spec.allocateLoadBalancerNodePorts) && !balanced) errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyBalanced));
  if (balanced && !isSet(spec.allocateLoadBalancerNodePorts)) errors.push(required('allocateLoadBalancerNodePorts'));
  validateLoadBalancerClass(spec, errors);
}

export function validateLoadBalancerClass(spec: Loose, errors: Errors): void {
  if (!isSet(spec.loadBalancerClass)) return;
  if (spec.type === 'LoadBalancer') validateQualifiedName(spec.loadBalancerClass, 'spec.loadBalancerClass', errors);
  else errors.push(forbidden('spec.loadBalancerClass', onlyBalanced));
}

function validateTraffic(spec: Loose, errors: Errors): void {
  const reachable =
    spec.type === 'LoadBalancer' || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && listOf(spec.externalIPs).length > 0);
  const policy = spec.externalTrafficPolicy;
  if (reachable) validateRequiredSupported(policy, ['Cluster', 'Local'], 'spec.externalTrafficPolicy', errors);
  else if (policy) errors.push(invalidValue('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'));
  const checked = spec.type === 'LoadBalancer' && policy === 'Local';
  const port: number = spec.healthCheckNodePort ?? 0;
  if (!checked && port !== 0) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidValue('spec.healthCheckNodePort', port, text));
  }
  if (checked && port === 0) errors.push(required('spec.healthCheckNodePort'));
  if (checked && port !== 0) validateTexts(isPortNumber(port), port, 'spec.healthCheckNodePort', errors);
  const internal = spec.internalTrafficPolicy;
  if (isSet(internal)) validateSupported(internal, ['Cluster', 'Local'], 'spec.internalTrafficPolicy', errors);
  else if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type)) errors.push(required('spec.internalTrafficPolicy'));
  if (isSet(spec.trafficDistribution)) {
    validateSupported(spec.trafficDistribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode'], 'spec.trafficDistribution', errors);
  }
}
