import type { KubeObject } from '#libs/kernel';
import { objectIn, setEmpty } from '../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateMetadata } from '../../validation/metadata';
import { isSet, listOf, validateDnsSubdomain, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { allMetadata, validateFlowConditions } from './conditions';
import { validateRule } from './rules';
import { mandatorySchemaSpecs } from './server-objects';

const precedenceDefault = 1_000;
const precedenceMax = 10_000;

function validateSchema(schema: KubeObject, errors: Errors): void {
  validateMetadata(schema.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  const { name = '' } = schema.metadata;
  const spec: Loose = schema.spec ?? {};
  validatePrecedence(spec.matchingPrecedence ?? 0, name, errors);
  const { distinguisherMethod: method } = spec;
  if (isSet(method) && method.type !== 'ByNamespace' && method.type !== 'ByUser') {
    errors.push(unsupported('spec.distinguisherMethod.type', { Type: method.type ?? '' }, ['ByNamespace', 'ByUser']));
  }
  const level: string = spec.priorityLevelConfiguration?.name ?? '';
  if (level === '') errors.push(required('spec.priorityLevelConfiguration.name', 'must reference a priority level'));
  else validateDnsSubdomain(level, 'spec.priorityLevelConfiguration.name', errors);
  for (const [index, rule] of listOf(spec.rules).entries()) validateRule(rule ?? {}, `spec.rules[${index}]`, errors);
  const fixed = mandatorySchemaSpecs.get(name);
  if (fixed && !semanticEqual(spec, fixed)) {
    errors.push(invalidValue('spec', goShape('FlowSchemaSpec', spec), `spec of '${name}' must equal the fixed value`));
  }
  validateFlowConditions(schema.status, errors);
}

function validatePrecedence(precedence: number, name: string, errors: Errors): void {
  const refuse = (text: string): unknown => errors.push(invalidValue('spec.matchingPrecedence', precedence, text));
  if (precedence <= 0) refuse('must be a positive value');
  if (precedence > precedenceMax) refuse(`must not be greater than ${precedenceMax}`);
  if (precedence === 1 && name !== 'exempt') refuse("only the schema named 'exempt' may have matchingPrecedence 1");
}

function precedenceOf({ spec }: KubeObject): number {
  return (spec?.matchingPrecedence as number | undefined) ?? 0;
}

export const flowschemas: KindDescription = {
  name: 'flowschemas.flowcontrol.apiserver.k8s.io',
  served: true,
  generation: 'managed',
  formerVersions: ['v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
  setDefaults: (schema) => setEmpty(objectIn(schema, 'spec') ?? {}, 'matchingPrecedence', precedenceDefault),
  strategy: { statusKeeps: allMetadata },
  validation: {
    create: validateSchema,
    update: (updated, _, errors) => validateSchema(updated, errors),
    subresources: { status: (updated, _, errors) => validateFlowConditions(updated.status, errors) },
  },
  rowOrder: (a, b) => precedenceOf(a) - precedenceOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  row: rowOf((schema, now) => {
    const { priorityLevelConfiguration: level, matchingPrecedence = 0, distinguisherMethod: method } = (schema.spec ?? {}) as Loose;
    const dangling = listOf(schema.status?.conditions).find(({ type }) => type === 'Dangling');
    return [nameOf(schema), level?.name ?? '', matchingPrecedence, method?.type ?? none, age(schema, now), dangling?.status ?? '?'];
  }),
};
