import { boolType, nullType, stringType, type Type } from '#libs/cel';
import type { KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { AdmissionExpressions, type AdmissionVariables } from '../../expressions/admission';
import { age, countOf, nameOf, rowOf } from '../../printing/cell';
import { columnsAround } from '../../printing/columns';
import { duplicate, invalidValue, required, unsupported } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { resettable } from '../../strategy/status-update';
import { byteLength, isDns1035Label, isDnsSubdomain } from '../../validation/formats';
import { validateConditions, validateMetadata } from '../../validation/metadata';
import { isSet, listOf, validateQualifiedName, validateSupported, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateMatchConditions } from './match-conditions';
import { setMatchDefaults, validateMatchResources } from './match-resources';
import { failurePolicies } from './rules';

const annotationsMax = 20;
const annotationExpressionBytesMax = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** `sameConditions`: they were looked at when they were stored. */
function validatePolicy(policy: KubeObject, sameConditions: boolean, errors: Errors): void {
  validateMetadata(policy.metadata, { namespaced: false, name: isDnsSubdomain, qualifiedFinalizers: false }, errors);
  const spec: Loose = policy.spec ?? {};
  validateSupported(spec.failurePolicy, failurePolicies, 'spec.failurePolicy', errors);
  if (isSet(spec.paramKind)) validateParamKind(spec.paramKind, 'spec.paramKind', errors);
  if (!isSet(spec.matchConstraints)) errors.push(required('spec.matchConstraints'));
  else {
    validateMatchResources(spec.matchConstraints, 'spec.matchConstraints', errors);
    if (listOf(spec.matchConstraints.resourceRules).length === 0) errors.push(required('spec.matchConstraints.resourceRules'));
  }
  const hasParams = isSet(spec.paramKind);
  if (!sameConditions) validateMatchConditions(spec.matchConditions, 'spec.matchConditions', errors, hasParams);
  const expressions = new PolicyExpressions(new AdmissionExpressions(listOf(spec.variables).length > 0), hasParams, errors);
  for (const [index, variable] of listOf(spec.variables).entries()) {
    validateVariable(variable ?? {}, `spec.variables[${index}]`, expressions, errors);
  }
  validateChecks(spec, policy.metadata.name ?? '', expressions, errors);
}

/** Compiles what a policy says, and tells what does not compile. */
class PolicyExpressions {
  constructor(
    private readonly expressions: AdmissionExpressions,
    private readonly hasParams: boolean,
    private readonly errors: Errors,
  ) {}

  addVariable(name: string, expression: string, field: string): void {
    this.tell(field, expression, this.expressions.addVariable(name, expression, this.variables(true)).problem);
  }

  /** @param shown the expression as it was sent, where that is not what is compiled */
  check(expression: string, kinds: readonly Type[], field: string, { hasAuthorizer = true, shown = expression } = {}): void {
    this.tell(field, shown, this.expressions.compile(expression, kinds, this.variables(hasAuthorizer)).problem);
  }

  private variables(hasAuthorizer: boolean): AdmissionVariables {
    return { hasParams: this.hasParams, hasAuthorizer };
  }

  private tell(field: string, expression: string, problem: string | undefined): void {
    if (problem !== undefined) this.errors.push(invalidValue(field, expression, problem));
  }
}

function validateChecks({ validations, auditAnnotations }: Loose, policy: string, expressions: PolicyExpressions, errors: Errors): void {
  const annotations = listOf(auditAnnotations);
  if (listOf(validations).length + annotations.length === 0) {
    const text = 'validations or auditAnnotations must contain at least one item';
    errors.push(required('spec.validations', text), required('spec.auditAnnotations', text));
    return;
  }
  for (const [index, check] of listOf(validations).entries()) validateCheck(check ?? {}, `spec.validations[${index}]`, expressions, errors);
  if (annotations.length > annotationsMax) {
    const shown = annotations.map(({ key = '', valueExpression = '' }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(invalidValue('spec.auditAnnotations', shown, `must not have more than ${annotationsMax} auditAnnotations`));
  }
  const seen = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const field = `spec.auditAnnotations[${index}]`;
    const key: string = annotation?.key ?? '';
    validateAnnotation(key, annotation?.valueExpression ?? '', policy, field, expressions, errors);
    if (seen.has(key)) errors.push(duplicate(`${field}.key`, key));
    seen.add(key);
  }
}

/** `apps/v1` and `Deployment`, of objects that the policy reads its parameters from. */
function validateParamKind({ apiVersion = '', kind = '' }: Loose, field: string, errors: Errors): void {
  const refuse = (value: string, texts: readonly string[], key = 'apiVersion'): void => {
    if (texts.length > 0) errors.push(invalidValue(`${field}.${key}`, value, texts.join(',')));
  };
  const parts: string[] = apiVersion.split('/');
  const [group, version = ''] = parts.length === 1 ? ['', apiVersion] : (parts as [string, string]);
  if (apiVersion === '') errors.push(required(`${field}.apiVersion`));
  else if (parts.length > 2) refuse(apiVersion, [`unexpected GroupVersion string: ${apiVersion}`]);
  else {
    if (group !== '') refuse(group, isDnsSubdomain(group));
    if (version === '') refuse(apiVersion, ['version must be specified']);
    else refuse(version, isDns1035Label(version));
  }
  if (kind === '') errors.push(required(`${field}.kind`));
  else {
    const texts = isDns1035Label(kind.toLowerCase());
    if (texts.length > 0) refuse(kind, [`may have mixed case, but should otherwise match: ${texts.join(',')}`], 'kind');
  }
}

const reservedWords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

function validateVariable({ name = '', expression = '' }: Loose, field: string, expressions: PolicyExpressions, errors: Errors): void {
  if (name.trim() === '') errors.push(required(`${field}.name`, 'name is not specified'));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reservedWords.has(name)) {
    errors.push(invalidValue(`${field}.name`, name, 'must be a valid CEL identifier'));
  }
  if (expression.trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
  else expressions.addVariable(name, expression, `${field}.expression`);
}

function validateCheck(
  { expression = '', message = '', messageExpression = '', reason }: Loose,
  field: string,
  expressions: PolicyExpressions,
  errors: Errors,
): void {
  if (expression.trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
  else expressions.check(expression, [boolType], `${field}.expression`);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalidValue(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    expressions.check(messageExpression, [stringType], `${field}.messageExpression`, { hasAuthorizer: false });
  }
  if (message !== '' && message.trim() === '') errors.push(invalidValue(`${field}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim())) errors.push(invalidValue(`${field}.message`, message, 'must not contain line breaks'));
  if (isSet(reason) && !reasons.includes(reason)) errors.push(unsupported(`${field}.reason`, reason, reasons));
}

function validateAnnotation(
  key: string,
  expression: string,
  policy: string,
  field: string,
  expressions: PolicyExpressions,
  errors: Errors,
): void {
  if (policy === '') errors.push(invalidValue(`${field}.key`, key, 'requires metadata.name be non-empty'));
  else validateQualifiedName(`${policy}/${key}`, `${field}.key`, errors);
  if (expression.trim() === '') errors.push(required(`${field}.valueExpression`, 'valueExpression is not specified'));
  else if (byteLength(expression.trim()) > annotationExpressionBytesMax) {
    errors.push(required(`${field}.valueExpression`, `must not exceed ${annotationExpressionBytesMax} bytes in length`));
  } else expressions.check(expression.trim(), [stringType, nullType], `${field}.valueExpression`, { shown: expression });
}

function validatePolicyUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const isSame = ['paramKind', 'matchConditions'].every((key) => semanticEqual(updated.spec?.[key], old.spec?.[key]));
  validatePolicy(updated, isSame, errors);
}

function validatePolicyStatus({ status }: KubeObject, errors: Errors): void {
  for (const [index, warning] of listOf(status?.typeChecking?.expressionWarnings).entries()) {
    const field = `status.typeChecking.expressionWarnings[${index}]`;
    if (!warning?.warning) errors.push(required(`${field}.warning`));
    if (!(warning?.fieldRef ?? '').trim()) errors.push(required(`${field}.fieldRef`));
  }
  validateConditions(status?.conditions, 'status.conditions', errors);
}

export const validatingadmissionpolicies: KindDescription = {
  name: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  served: true,
  generation: 'managed',
  conditionalUpdateOnly: true,
  formerVersions: ['admissionregistration.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1alpha1'],
  setDefaults: (policy) => {
    const spec = objectIn(policy, 'spec') ?? {};
    policy['spec'] = spec;
    setAbsent(spec, 'failurePolicy', 'Fail');
    setMatchDefaults(objectIn(spec, 'matchConstraints'));
  },
  strategy: { statusKeeps: resettable },
  validation: {
    create: (policy, errors) => validatePolicy(policy, false, errors),
    update: validatePolicyUpdate,
    subresources: { status: (updated, _, errors) => validatePolicyStatus(updated, errors) },
  },
  get columns() {
    return columnsAround(
      ['Validations', 'integer', 'Validations indicates the number of validation rules defined in this configuration'],
      ['ParamKind', 'string', 'ParamKind specifies the kind of resources used to parameterize this policy'],
    );
  },
  row: rowOf((policy, now) => {
    const { validations, paramKind } = (policy.spec ?? {}) as Loose;
    const param = paramKind ? `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}` : '<unset>';
    return [nameOf(policy), countOf(validations), param, age(policy, now)];
  }),
};
