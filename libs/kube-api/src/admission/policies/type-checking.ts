import type { KubeObject } from '#libs/kernel';
import { AdmissionExpressions, declaredKind, type AdmissionTypes } from '../../expressions';
import type { KindCatalogue, ResourceKind } from '../../kinds';
import type { Rule } from '../matching/rules';
import type { PolicySpec } from './policy';

/** `status.typeChecking.expressionWarnings[]` of a policy. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Kinds of one rule that a policy is checked against at most. */
const kindsMax = 10;

/**
 * What the expressions of a policy would find when they meet objects of the kinds that its rules name (upstream: `TypeChecker`). Wildcards name
 * no kinds. Warnings change nothing of what the policy does.
 */
export function typeWarnings(policy: KubeObject, kinds: KindCatalogue): ExpressionWarning[] {
  const spec = (policy.spec ?? {}) as unknown as PolicySpec;
  const checked = kindsToCheck(spec.matchConstraints?.resourceRules ?? [], kinds);
  const params = kinds.findKind(spec.paramKind?.apiVersion ?? '', spec.paramKind?.kind ?? '');
  const warnings: ExpressionWarning[] = [];
  const check = (fieldRef: string, expression: string | undefined): void => {
    const told = expression ? checked.flatMap((kind) => warningOf(kind, params, spec, expression)) : [];
    if (told.length > 0) warnings.push({ fieldRef, warning: told.join('\n') });
  };
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
    check(`spec.validations[${index}].expression`, expression);
    check(`spec.validations[${index}].messageExpression`, messageExpression);
  }
  return warnings;
}

function warningOf(kind: ResourceKind, params: ResourceKind | undefined, { variables = [] }: PolicySpec, expression: string): string[] {
  const types = typesOf(kind, params);
  if (!types) return [];
  const known = { hasParams: types.params !== undefined, hasAuthorizer: true };
  const expressions = new AdmissionExpressions(true, types);
  for (const variable of variables) expressions.addVariable(variable.name, variable.expression, known);
  const problem = expressions.check(expression, known);
  return problem === undefined ? [] : [`${kind.group}/${kind.version}, Kind=${kind.kind}: ${problem}\n`];
}

function typesOf({ schema, kind }: ResourceKind, params: ResourceKind | undefined): AdmissionTypes | undefined {
  if (!schema) return undefined;
  return {
    object: declaredKind(schema, kind),
    ...(params?.schema ? { params: declaredKind(params.schema, params.kind) } : {}),
  };
}

/** By group, version and kind. */
function kindsToCheck(rules: readonly Rule[], kinds: KindCatalogue): ResourceKind[] {
  const found = new Set<ResourceKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    const plain = resources.filter((name) => !/[*/]/.test(name));
    let count = 0;
    for (const group of [...apiGroups].sort())
      for (const version of [...apiVersions].sort())
        for (const resource of [...plain].sort()) {
          const kind = kinds.findResource(group, version, resource);
          if (!kind?.served || count === kindsMax) continue;
          found.add(kind);
          count++;
        }
    if (count === kindsMax) break;
  }
  return [...found].sort((a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
