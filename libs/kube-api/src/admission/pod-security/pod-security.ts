import type { GroupResource, JsonObject, KubeObject } from '#libs/kernel';
import { jsonEqual } from '#libs/kernel';
import { aggregateText, forbiddenRequest, invalid, type Failure } from '../../status';
import type { Admission, OwnStep } from '../chain';
import type { PodSecurityConfiguration } from '../configuration';
import { requestedName } from '../namespace-lifecycle';
import type { Container, PodLike, PodSpec } from './checks/check';
import { detailsText, violationsOf } from './evaluate';
import { existingPodsWarnings } from './existing-pods';
import {
  compareLevels,
  isModeLabelled,
  isPrivileged,
  levelText,
  podSecurityErrors,
  policyOf,
  privilegedPolicy,
  sameLevel,
  securityModes,
  type SecurityPolicy,
} from './policy';

type Template = { metadata?: { annotations?: Record<string, string> }; spec?: PodSpec } | undefined;

/** Where the pods are in what makes pods; undefined: such an object makes none. */
const templates: Readonly<Record<GroupResource, (object: KubeObject) => Template>> = {
  podtemplates: ({ template }) => template as Template,
  replicationcontrollers: templateInSpec,
  'replicasets.apps': templateInSpec,
  'deployments.apps': templateInSpec,
  'daemonsets.apps': templateInSpec,
  'statefulsets.apps': templateInSpec,
  'jobs.batch': templateInSpec,
  'cronjobs.batch': ({ spec }) => ((spec?.jobTemplate as KubeObject | undefined)?.spec as { template?: Template } | undefined)?.template,
};

function templateInSpec({ spec }: KubeObject): Template {
  return spec?.template as Template;
}

/**
 * Upstream's PodSecurity: a namespace's labels say how safe its pods must be. Pods that are not are refused; what makes pods is only warned of,
 * and a namespace that becomes stricter tells which of its pods are not safe enough.
 */
export const podSecurity: OwnStep = {
  name: 'PodSecurity',
  handles: ({ kind, operation, subresource }) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
    if (kind.groupResource === 'pods')
      return subresource === undefined || subresource === 'ephemeralcontainers' || subresource === 'resize';
    return subresource === undefined && (kind.groupResource === 'namespaces' || Object.hasOwn(templates, kind.groupResource));
  },
  admit: (object, admission) => {
    const { groupResource } = admission.kind;
    if (groupResource === 'namespaces') return admitNamespace(object, admission);
    const { namespace } = object.metadata;
    const exempt = exemptionOf(admission, namespace);
    if (exempt !== undefined) {
      note(admission, 'exempt', exempt);
      return object;
    }
    const holder = admission.lookup.namespace(namespace ?? '');
    const policy = policyFor(holder, admission);
    noteWrongLabels(holder, admission);
    return groupResource === 'pods' ? admitPod(object, policy, admission) : admitTemplate(object, policy, admission);
  },
};

/** For what a write is not looked at, if it is not. */
function exemptionOf({ lookup, userName = '' }: Admission, namespace: string | undefined): 'namespace' | 'user' | undefined {
  const exemptions = lookup.configuration?.podSecurity?.exemptions;
  if (!exemptions) return undefined;
  if (exemptions.namespaces.includes(namespace ?? '')) return 'namespace';
  return exemptions.usernames.includes(userName) ? 'user' : undefined;
}

/** For the record of the request. */
function note({ annotate }: Admission, name: 'exempt' | 'enforce-policy' | 'audit-violations' | 'error', text: string): void {
  annotate?.(`pod-security.kubernetes.io/${name}`, text);
}

function noteWrongLabels(namespace: KubeObject | undefined, admission: Admission): void {
  if (!admission.annotate) return;
  const errors = podSecurityErrors(namespace?.metadata.labels);
  if (errors.length > 0) note(admission, 'error', `Failed to parse policy: ${aggregateText(errors)}`);
}

/** What would be wrong with pods where the namespace were stricter, which is only recorded. */
function noteViolations(pod: PodLike, { audit }: SecurityPolicy, admission: Admission): void {
  if (!admission.annotate || audit.level === 'privileged') return;
  const violations = violationsOf(pod, audit);
  if (violations.length > 0)
    note(admission, 'audit-violations', `would violate PodSecurity "${levelText(audit)}": ${detailsText(violations)}`);
}

function isExemptClass({ lookup }: Admission, { runtimeClassName }: PodSpec): boolean {
  return (
    Boolean(runtimeClassName) &&
    (lookup.configuration?.podSecurity?.exemptions.runtimeClasses.includes(runtimeClassName as string) ?? false)
  );
}

function defaultsOf(configuration: PodSecurityConfiguration | undefined): SecurityPolicy {
  return configuration?.defaults ?? privilegedPolicy;
}

/** What a namespace that never changes asks for is found out once. */
const policies = new WeakMap<KubeObject, { defaults: SecurityPolicy; policy: SecurityPolicy }>();

function policyFor(namespace: KubeObject | undefined, { lookup }: Admission): SecurityPolicy {
  const defaults = defaultsOf(lookup.configuration?.podSecurity);
  if (!namespace) return defaults;
  const known = policies.get(namespace);
  if (known?.defaults === defaults) return known.policy;
  const policy = policyOf(namespace.metadata.labels, defaults);
  policies.set(namespace, { defaults, policy });
  return policy;
}

function podLike(metadata: { annotations?: Record<string, string> } | undefined, spec: PodSpec): PodLike {
  return { annotations: metadata?.annotations ?? {}, spec };
}

function admitPod(pod: KubeObject, policy: SecurityPolicy, admission: Admission): KubeObject | Failure {
  const spec = (pod.spec ?? {}) as PodSpec;
  if (isPrivileged(policy)) {
    note(admission, 'enforce-policy', levelText(privilegedPolicy.enforce));
    return pod;
  }
  if (admission.old && !isSignificant(spec, (admission.old.spec ?? {}) as PodSpec)) return pod;
  if (isExemptClass(admission, spec)) {
    note(admission, 'exempt', 'runtimeClass');
    return pod;
  }
  const like = podLike(pod.metadata, spec);
  note(admission, 'enforce-policy', levelText(policy.enforce));
  noteViolations(like, policy, admission);
  const violations = violationsOf(like, policy.enforce);
  if (violations.length === 0) {
    warnOf(like, policy, admission);
    return pod;
  }
  const text = `violates PodSecurity "${levelText(policy.enforce)}": ${detailsText(violations)}`;
  return forbiddenRequest('pods', requestedName(pod), text);
}

function admitTemplate(object: KubeObject, policy: SecurityPolicy, admission: Admission): KubeObject {
  const template = templates[admission.kind.groupResource]?.(object);
  if ((policy.warn.level === 'privileged' && policy.audit.level === 'privileged') || !template?.spec) return object;
  if (isExemptClass(admission, template.spec)) {
    note(admission, 'exempt', 'runtimeClass');
    return object;
  }
  const like = podLike(template.metadata, template.spec);
  noteViolations(like, policy, admission);
  if (policy.warn.level !== 'privileged') warnOf(like, policy, admission);
  return object;
}

function warnOf(pod: PodLike, { warn }: SecurityPolicy, admission: Admission): void {
  const violations = violationsOf(pod, warn);
  if (violations.length > 0) admission.warn?.(`would violate PodSecurity "${levelText(warn)}": ${detailsText(violations)}`);
}

/** Of what may be changed in a pod only images and new containers matter. */
function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  const changed = (is: Container[] = [], was: Container[] = []): boolean =>
    is.length !== was.length || is.some((container, index) => imageOf(container) !== imageOf(was[index]));
  if (changed(spec.containers, old.containers) || changed(spec.initContainers, old.initContainers)) return true;
  return (spec.ephemeralContainers ?? []).some((container) => {
    const before = old.ephemeralContainers?.find(({ name }) => name === container.name);
    return !before || imageOf(before) !== imageOf(container);
  });
}

function imageOf(container: Container | undefined): unknown {
  return (container as { image?: unknown } | undefined)?.image;
}

/** Labels that say nothing sensible are refused where the update brings them; what was wrong before may stay. */
function admitNamespace(namespace: KubeObject, admission: Admission): KubeObject | Failure {
  const { kind, old, lookup } = admission;
  const { name, labels } = namespace.metadata;
  const errors = podSecurityErrors(labels);
  const before = old ? podSecurityErrors(old.metadata.labels) : [];
  const isNew = before.length === 0 || !jsonEqual(errors as unknown as JsonObject[], before as unknown as JsonObject[]);
  if (errors.length > 0 && isNew) return invalid(kind.kind, name, errors);
  const policy = policyFor(namespace, admission);
  if (old && !becomesStricter(policy, policyFor(old, admission))) return namespace;
  if (lookup.configuration?.podSecurity?.exemptions.namespaces.includes(name)) {
    const warning = exemptWarning(namespace, policy, defaultsOf(lookup.configuration.podSecurity));
    if (warning !== undefined) admission.warn?.(warning);
    return namespace;
  }
  if (!old) return namespace;
  const pods = [...(lookup.podsOf?.(name) ?? [])].filter(({ spec }) => !isExemptClass(admission, (spec ?? {}) as PodSpec));
  for (const warning of existingPodsWarnings(name, pods, policy.enforce)) admission.warn?.(warning);
  return namespace;
}

function becomesStricter({ enforce }: SecurityPolicy, { enforce: before }: SecurityPolicy): boolean {
  if (sameLevel(enforce, before) || enforce.level === 'privileged') return false;
  return enforce.version !== before.version || compareLevels(enforce.level, before.level) > 0;
}

function exemptWarning({ metadata }: KubeObject, policy: SecurityPolicy, defaults: SecurityPolicy): string | undefined {
  const isAsConfigured = securityModes.every(
    (mode) => sameLevel(policy[mode], defaults[mode]) || (policy[mode].level === 'privileged' && defaults[mode].level === 'privileged'),
  );
  if (isPrivileged(policy) || isAsConfigured) return undefined;
  const told = securityModes
    .filter((mode) => policy[mode].level !== 'privileged' && isModeLabelled(metadata.labels, mode))
    .map((mode) => `${mode}=${levelText(policy[mode])}`);
  return `namespace "${metadata.name}" is exempt from Pod Security, and the policy (${told.join(', ')}) will be ignored`;
}
