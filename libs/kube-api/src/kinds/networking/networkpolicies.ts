import type { JsonObject, KubeObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { formatObjectSelector, validateObjectSelector } from '../../selectors/object-selector';
import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { inCidr } from '../../validation/addresses';
import { isDnsSubdomain, isPortName, isPortNumber } from '../../validation/formats';
import { parseLegacyCidr, validateLegacyCidr, warnAboutCidr } from '../../validation/legacy-addresses';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

function setNetworkPolicyDefaults(policy: JsonObject): void {
  const spec = objectIn(policy, 'spec') ?? {};
  policy['spec'] = spec;
  if (listOf(spec['policyTypes']).length === 0)
    spec['policyTypes'] = listOf(spec['egress']).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const [direction] of directions) {
    for (const rule of listIn(spec, direction)) for (const port of listIn(rule, 'ports')) setAbsent(port, 'protocol', 'TCP');
  }
}

function validateSpec(spec: Loose, allowInvalidValues: boolean, errors: Errors): void {
  errors.push(...validateObjectSelector(spec.podSelector, { allowInvalidValues }, 'spec.podSelector'));
  for (const [direction, side] of directions) {
    for (const [index, rule] of listOf(spec[direction]).entries()) {
      const at = `spec.${direction}[${index}]`;
      for (const [position, port] of listOf(rule.ports).entries()) validatePort(port, `${at}.ports[${position}]`, errors);
      for (const [position, peer] of listOf(rule[side]).entries()) {
        validatePeer(peer, allowInvalidValues, `${at}.${side}[${position}]`, errors);
      }
    }
  }
  const types = listOf(spec.policyTypes);
  if (types.length > 2) {
    errors.push(invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes'));
    return;
  }
  for (const [index, type] of types.entries()) {
    if (type !== 'Ingress' && type !== 'Egress') errors.push(unsupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']));
  }
}

function validatePort({ protocol, port, endPort }: Loose, field: string, errors: Errors): void {
  const protocols = ['TCP', 'UDP', 'SCTP'];
  if (isSet(protocol) && !protocols.includes(protocol)) errors.push(unsupported(`${field}.protocol`, protocol, protocols));
  const refuseEnd = (value: unknown, why: string) => errors.push(invalidValue(`${field}.endPort`, value, why));
  if (!isSet(port)) {
    if (isSet(endPort)) refuseEnd(endPort, 'may not be specified when `port` is not specified');
  } else if (typeof port === 'string') {
    if (isSet(endPort)) refuseEnd(endPort, 'may not be specified when `port` is non-numeric');
    validateTexts(isPortName(port), port, `${field}.port`, errors);
  } else {
    validateTexts(isPortNumber(port), port, `${field}.port`, errors);
    if (!isSet(endPort)) return;
    // The text shows where the range begins, as upstream's does.
    if (endPort < port) refuseEnd(port, 'must be greater than or equal to `port`');
    validateTexts(isPortNumber(endPort), endPort, `${field}.endPort`, errors);
  }
}

function validatePeer(peer: Loose, allowInvalidValues: boolean, field: string, errors: Errors): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (isSet(podSelector)) errors.push(...validateObjectSelector(podSelector, { allowInvalidValues }, `${field}.podSelector`));
  if (isSet(namespaceSelector)) {
    errors.push(...validateObjectSelector(namespaceSelector, { allowInvalidValues }, `${field}.namespaceSelector`));
  }
  if (isSet(ipBlock)) validateBlock(ipBlock, `${field}.ipBlock`, errors);
  const others = isSet(podSelector) || isSet(namespaceSelector);
  if (!others && !isSet(ipBlock)) errors.push(required(field, 'must specify a peer'));
  else if (others && isSet(ipBlock)) errors.push(forbidden(field, 'may not specify both ipBlock and another peer'));
}

function validateBlock({ cidr = '', except }: Loose, field: string, errors: Errors): void {
  if (cidr === '') {
    errors.push(required(`${field}.cidr`));
    return;
  }
  validateLegacyCidr(cidr, `${field}.cidr`, errors);
  const range = parseLegacyCidr(cidr);
  if (!range) return;
  for (const [index, text] of listOf(except).entries()) {
    const at = `${field}.except[${index}]`;
    validateLegacyCidr(text, at, errors);
    const part = parseLegacyCidr(text);
    if (part && (!inCidr(part, range) || range.prefix >= part.prefix)) {
      errors.push(invalidValue(at, text, 'must be a strict subset of `cidr`'));
    }
  }
}

function validateNetworkPolicy(policy: KubeObject, errors: Errors, allowInvalidValues = false): void {
  validateMetadata(policy.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(policy.spec ?? {}, allowInvalidValues, errors);
}

/** Upstream checks the spec twice at an update. */
function validateNetworkPolicyUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const allowInvalidValues = validateObjectSelector(old.spec?.podSelector, {}, '').length > 0;
  validateNetworkPolicy(updated, errors, allowInvalidValues);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated.spec ?? {}, allowInvalidValues, errors);
}

function warnAboutNetworkPolicy({ spec }: KubeObject, warnings: string[]): void {
  for (const [direction, side] of directions) {
    for (const [index, rule] of listOf(spec?.[direction]).entries()) {
      for (const [position, { ipBlock }] of listOf(rule[side]).entries()) {
        if (!isSet(ipBlock)) continue;
        const at = `spec.${direction}[${index}].${side}[${position}].ipBlock`;
        warnAboutCidr(ipBlock.cidr ?? '', `${at}.cidr`, warnings);
        for (const [place, text] of listOf(ipBlock.except).entries()) warnAboutCidr(text, `${at}.except[${place}]`, warnings);
      }
    }
  }
}

export const networkpolicies: KindDescription = {
  name: 'networkpolicies.networking.k8s.io',
  served: true,
  generation: 'managed',
  strategy: { emptyIsWish: true },
  formerVersions: ['extensions/v1beta1'],
  setDefaults: setNetworkPolicyDefaults,
  validation: { create: (policy, errors) => validateNetworkPolicy(policy, errors), update: validateNetworkPolicyUpdate },
  warn: (policy, _old, warnings) => warnAboutNetworkPolicy(policy, warnings),
  row: rowOf((policy, now) => [nameOf(policy), formatObjectSelector(policy.spec?.podSelector ?? {}), age(policy, now)]),
};
