import type { JsonObject, KubeObject } from '#libs/kernel';
import { failure, goJson, isFailure, notFound, type Failure } from '../../status';
import type { ResourceKind } from '../../kinds';
import { wireFormOf } from '../../decode';
import { isAnnotationKey } from '../annotation-key';
import { Attributes, type Annotate } from '../attributes';
import type { Admission, AdmissionLookup } from '../chain';
import { isDisabled, isExempt, matchedIn, versionMeant, type Criteria } from '../matching/match';
import { judgementOf, type Denial } from './judgement';
import { paramsOf, unknownParamKind } from './params';
import { compiledPolicy, type BindingSpec, type CompiledPolicy, type MatchResources } from './policy';

const policiesResource = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const bindingsResource = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

/** Codes of the reasons that a validation may give. */
const codes: Readonly<Record<string, number>> = { Invalid: 422, Forbidden: 403, RequestEntityTooLarge: 413, Unauthorized: 401 };

interface Denied extends Denial {
  readonly policy: string;
  readonly binding?: string;
}

/**
 * The ValidatingAdmissionPolicies of the cluster: the request is refused by the first one of them that denies it, by name; what others only
 * warn of is told all the same. A pure function of the state and the request.
 */
export function validateByPolicies(object: KubeObject | undefined, admission: Admission): KubeObject | Failure {
  const { called, lookup } = admission;
  const admitted = object as KubeObject;
  if (!called || isExempt(called) || isDisabled('ValidatingAdmissionPolicy', admission.lookup)) return admitted;
  const bindings = byName(lookup, bindingsResource);
  if (bindings.length === 0) return admitted;
  const request = new Attributes(admission, called, object);
  const denied: Denied[] = [];
  for (const policy of byName(lookup, policiesResource)) {
    const own = bindings.filter(({ spec }) => spec?.policyName === policy.metadata.name);
    if (own.length === 0) continue;
    const outcome = judgedBy(compiledPolicy(policy), own, request, denied);
    if (outcome) return outcome;
  }
  const [first] = denied;
  return first ? refusal(first, request) : admitted;
}

function byName(lookup: AdmissionLookup, resource: string): KubeObject[] {
  const found = [...(lookup.list?.(resource) ?? [])];
  return found.length < 2 ? found : found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** @returns what ends the judging at once */
function judgedBy(policy: CompiledPolicy, bindings: readonly KubeObject[], request: Attributes, denied: Denied[]): Failure | undefined {
  const { name, spec } = policy;
  if (request.called.caller.isPartlyKnown && (!policy.isOfObjects || request.equivalents.length > 0)) return undefined;
  const misconfigured = (message: string, binding?: string): void => {
    if (spec.failurePolicy === 'Ignore') return;
    denied.push({ policy: name, binding, message: `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${message}` });
  };
  const matched = meant(spec.matchConstraints ?? undefined, request);
  if (!matched) return undefined;
  if (isFailure(matched)) {
    misconfigured(matched.message);
    return undefined;
  }
  const unknown = unknownParamKind(spec.paramKind, request);
  if (unknown !== undefined) {
    misconfigured(`failed to find resource referenced by paramKind: '${unknown}'`);
    return undefined;
  }
  const said = new Map<string, Set<string>>();
  for (const binding of bindings) {
    const { name: bindingName } = binding.metadata;
    const { matchResources, paramRef, validationActions = [] } = (binding.spec ?? {}) as unknown as BindingSpec;
    const isBound = matchResources ? meant(matchResources, request) : matched;
    if (!isBound) continue;
    if (isFailure(isBound)) {
      misconfigured(isBound.message, bindingName);
      continue;
    }
    const params = paramsOf(spec.paramKind, paramRef, request);
    if ('error' in params) {
      misconfigured(params.error, bindingName);
      continue;
    }
    const namespace = namespaceOf(request);
    if (isFailure(namespace)) return namespace;
    for (const param of params) judgeOnce(policy, bindingName, validationActions, { request, matched, param, namespace, denied, said });
  }
  publish(name, said, request.called.annotate);
  return undefined;
}

interface Judged {
  readonly request: Attributes;
  readonly matched: ResourceKind;
  readonly param: JsonObject | null;
  readonly namespace: JsonObject | null;
  readonly denied: Denied[];
  readonly said: Map<string, Set<string>>;
}

function judgeOnce(
  policy: CompiledPolicy,
  binding: string,
  actions: readonly string[],
  { request, matched, param, namespace, denied, said }: Judged,
): void {
  const { denials, annotations, annotationErrors } = judgementOf(policy, request, matched, param, namespace);
  const { warnings, annotate } = request.called;
  for (const [index, denial] of denials.entries()) {
    if (!denial) continue;
    for (const action of actions) {
      if (action === 'Deny') denied.push({ ...denial, policy: policy.name, binding });
      else if (action === 'Warn')
        warnings.push(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding}': ${denial.message}`);
      else if (action === 'Audit') annotate?.(failureKey, failureText(policy.name, binding, actions, index, denial));
    }
  }
  for (const { key, value } of annotations) {
    const told = said.get(key);
    const text = value.slice(0, annotationMax);
    if (told) told.add(text);
    else said.set(key, new Set([text]));
  }
  for (const message of annotationErrors) denied.push({ message, isError: true, policy: policy.name, binding });
}

const annotationMax = 10 * 1024;

const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

function failureText(policy: string, binding: string, validationActions: readonly string[], index: number, denial: Denial): string {
  return goJson([{ message: denial.message, policy, binding, expressionIndex: index, validationActions }]);
}

/** What all bindings of a policy had to say of a key, each thing once. */
function publish(policy: string, said: ReadonlyMap<string, ReadonlySet<string>>, annotate: Annotate | undefined): void {
  for (const [name, texts] of said) {
    const key = `${policy}/${name}`;
    if (isAnnotationKey(key)) annotate?.(key, [...texts].join(', '));
  }
}

/** In which version a request is meant by what a policy or a binding names. */
function meant(criteria: MatchResources | undefined, request: Attributes): ResourceKind | Failure | undefined {
  const { excludeResourceRules = [], resourceRules = [], matchPolicy } = criteria ?? {};
  const selected = (rules: typeof resourceRules): ReturnType<typeof matchedIn> => matchedIn((criteria ?? {}) as Criteria, rules, request);
  if (versionMeant(excludeResourceRules, matchPolicy, request)) return undefined;
  return selected(resourceRules.length === 0 ? [everyRule] : resourceRules);
}

const everyRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*', '*'] };

/** What expressions see of the namespace: nothing of annotations that may be anything, no owners. */
function namespaceOf(request: Attributes): JsonObject | null | Failure {
  if (request.isNamespace || request.namespace === '') return null;
  const found = request.admission.lookup.namespace(request.namespace);
  if (!found) return notFound('namespaces', request.namespace);
  const { metadata, spec, status } = found;
  const { name, generateName, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } =
    metadata;
  const { labels, annotations, finalizers } = metadata;
  const shown = {
    metadata: {
      name, generateName, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, labels, annotations,
      finalizers,
    },
    spec,
    status,
  }; // prettier-ignore
  const kind = request.called.kinds.kindOf('namespaces');
  return wireFormOf(kind, shown as unknown as KubeObject) as unknown as JsonObject;
}

function refusal({ policy, binding, message, reason = 'Invalid' }: Denied, request: Attributes): Failure {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { details, message: told } = request.forbidden(text);
  return failure(codes[reason] ?? 422, reason, told, { ...details, causes: [{ message: text }] });
}
