import { boolType, nullType, stringType, type Program } from '#libs/cel';
import type { KubeObject } from '#libs/kernel';
import { AdmissionExpressions, type CompiledVariable } from '../../expressions';
import type { ObjectSelector } from '../../selectors';
import { compileConditions, type CompiledCondition, type MatchCondition } from '../matching/conditions';
import type { Criteria } from '../matching/match';
import type { Rule } from '../matching/rules';

/** `admissionregistration.k8s.io/v1 MatchResources` */
export interface MatchResources extends Criteria {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: ObjectSelector | null;
  readonly parameterNotFoundAction?: string;
}

/** `admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy`, its spec. */
export interface PolicySpec {
  readonly paramKind?: ParamKind | null;
  readonly matchConstraints?: MatchResources | null;
  readonly validations?: readonly { expression: string; message?: string; reason?: string; messageExpression?: string }[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly { key: string; valueExpression: string }[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { name: string; expression: string }[];
}

/** `ValidatingAdmissionPolicyBinding`, its spec. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef | null;
  readonly matchResources?: MatchResources | null;
  readonly validationActions?: readonly string[];
}

interface CompiledText {
  readonly text: string;
  readonly program?: Program;
  readonly problem?: string;
}

export interface CompiledValidation extends CompiledText {
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: CompiledText;
}

/** A policy with its expressions compiled. */
export interface CompiledPolicy {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly variables: readonly CompiledVariable[];
  readonly conditions: readonly CompiledCondition[];
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly (CompiledText & { readonly key: string })[];
  /** It judges by what is known of the objects alone, not by who asks or how. */
  readonly isOfObjects: boolean;
}

const compiled = new WeakMap<object, CompiledPolicy>();

/** Compiled once for each spec. */
export function compiledPolicy(policy: KubeObject): CompiledPolicy {
  const spec = (policy.spec ?? {}) as unknown as PolicySpec;
  let known = compiled.get(spec);
  if (!known) compiled.set(spec, (known = compilePolicy(policy.metadata.name, spec)));
  return known;
}

function compilePolicy(name: string, spec: PolicySpec): CompiledPolicy {
  const hasParams = Boolean(spec.paramKind);
  const withAuthorizer = { hasParams, hasAuthorizer: true };
  const expressions = new AdmissionExpressions(true);
  const variables = (spec.variables ?? []).map((variable) => {
    const { program, problem } = expressions.addVariable(variable.name, variable.expression, withAuthorizer);
    return { name: variable.name, program, problem };
  });
  const compile = (text: string, types: Parameters<AdmissionExpressions['compile']>[1], hasAuthorizer = true): CompiledText => {
    const { program, problem } = expressions.compile(text, types, { hasParams, hasAuthorizer });
    return { text, program, problem };
  };
  const validations = (spec.validations ?? []).map(({ expression, message, reason, messageExpression }) => ({
    ...compile(expression, [boolType]),
    message,
    reason,
    ...(messageExpression ? { messageExpression: compile(messageExpression, [stringType], false) } : {}),
  }));
  return {
    name,
    spec,
    variables,
    conditions: compileConditions(spec.matchConditions ?? [], expressions, hasParams),
    validations,
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      ...compile(valueExpression, [stringType, nullType]),
    })),
    isOfObjects: !/\b(?:request|authorizer)\b/.test(JSON.stringify(spec)),
  };
}
