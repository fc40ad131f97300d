import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { forbidden, invalidValue, required, tooLong, unsupported } from '../../status/field-error';
import { byteLength, isDnsLabel, isDnsSubdomain, patternText } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, validateImmutable, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateObjectReference } from './references';

/** Ingresses that name no class get this one. */
export function isDefaultIngressClass({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
}

const controllerBytesMax = 250;

function setIngressClassDefaults(ingressClass: JsonObject): void {
  const parameters = objectIn(objectIn(ingressClass, 'spec') ?? {}, 'parameters');
  if (parameters) setAbsent(parameters, 'scope', 'Cluster');
}

function validateIngressClass(ingressClass: KubeObject, errors: Errors): void {
  validateMetadata(ingressClass.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  const { controller = '', parameters }: Loose = ingressClass.spec ?? {};
  if (byteLength(controller) > controllerBytesMax) errors.push(tooLong('spec.controller', controllerBytesMax));
  validateDomainPath(controller, 'spec.controller', errors);
  if (isSet(parameters)) validateParameters(parameters, 'spec.parameters', errors);
}

const pathExpression = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** `acme.io/foo` */
function validateDomainPath(text: string, field: string, errors: Errors): void {
  if (text === '') {
    errors.push(required(field));
    return;
  }
  const slash = text.indexOf('/');
  const [host, path] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)];
  if (slash <= 0 || path === '') {
    errors.push(invalidValue(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    return;
  }
  validateTexts(isDnsSubdomain(host), host, field, errors);
  if (!new RegExp(`^${pathExpression}$`).test(path)) errors.push(invalidValue(field, path, patternText('Invalid path', pathExpression)));
}

function validateParameters(parameters: Loose, field: string, errors: Errors): void {
  validateObjectReference(parameters, field, errors);
  const { scope, namespace } = parameters;
  if (!isSet(scope)) errors.push(required(`${field}.scope`));
  else if (scope !== 'Cluster' && scope !== 'Namespace') errors.push(unsupported(`${field}.scope`, scope, ['Cluster', 'Namespace']));
  else if (scope === 'Namespace') {
    if (!isSet(namespace)) errors.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else validateTexts(isDnsLabel(namespace), namespace, `${field}.namespace`, errors);
  } else if (isSet(namespace)) errors.push(forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
}

function validateIngressClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateImmutable(updated.spec?.controller ?? '', old.spec?.controller ?? '', 'spec.controller', errors);
  validateIngressClass(updated, errors);
}

export const ingressclasses: KindDescription = {
  name: 'ingressclasses.networking.k8s.io',
  served: true,
  generation: 'managed',
  formerVersions: ['networking.k8s.io/v1beta1'],
  setDefaults: setIngressClassDefaults,
  validation: { create: validateIngressClass, update: validateIngressClassUpdate },
  row: rowOf((ingressClass, now) => {
    const { controller = '', parameters }: Loose = ingressClass.spec ?? {};
    const group = isSet(parameters?.apiGroup) ? `.${parameters.apiGroup}` : '';
    const shown = isSet(parameters) ? `${parameters.kind ?? ''}${group}/${parameters.name ?? ''}` : none;
    return [nameOf(ingressClass), controller, shown, age(ingressClass, now)];
  }),
};
