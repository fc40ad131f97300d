import { conditionOf } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';

interface ContainerStatus {
  name: string;
  state?: { terminated?: { exitCode: number; finishedAt?: string } };
}

interface FailureRule {
  action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  onExitCodes?: { containerName?: string; operator: 'In' | 'NotIn'; values: number[] };
  onPodConditions?: { type: string; status: string }[];
}

/** What a Job's podFailurePolicy says of a failed pod. */
export interface FailureVerdict {
  /** It counts against limits. */
  counts: boolean;
  action?: FailureRule['action'];
  /** Why the whole Job fails for it. */
  message?: string;
}

export function judgeFailure(job: KubeObject, pod: KubeObject): FailureVerdict {
  const rules = (job.spec?.podFailurePolicy?.rules ?? []) as FailureRule[];
  const { namespace, name } = pod.metadata;
  for (const [index, rule] of rules.entries()) {
    const reason = rule.onExitCodes ? exitReason(pod, rule.onExitCodes) : conditionReason(pod, rule.onPodConditions ?? []);
    if (reason === undefined) continue;
    const { action } = rule;
    if (action !== 'FailJob') return { counts: action !== 'Ignore', action };
    const who = rule.onExitCodes ? `Container ${reason.container} for pod ${namespace}/${name}` : `Pod ${namespace}/${name}`;
    return { counts: true, action, message: `${who} ${reason.text} matching FailJob rule at index ${index}` };
  }
  return { counts: true };
}

function exitReason(
  { status }: KubeObject,
  { containerName, operator, values }: NonNullable<FailureRule['onExitCodes']>,
): { container: string; text: string } | undefined {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])] as ContainerStatus[];
  for (const { name, state } of statuses) {
    const code = state?.terminated?.exitCode;
    if (!code || (containerName && containerName !== name)) continue;
    if (values.includes(code) === (operator === 'In')) return { container: name, text: `failed with exit code ${code}` };
  }
  return undefined;
}

function conditionReason(
  { status }: KubeObject,
  patterns: readonly { type: string; status: string }[],
): { container: string; text: string } | undefined {
  for (const { type, status: value } of (status?.conditions ?? []) as { type: string; status: string }[]) {
    if (patterns.some((pattern) => pattern.type === type && pattern.status === value))
      return { container: '', text: `has condition ${type}` };
  }
  return undefined;
}

/** When the pod ended, ms since the epoch: as its containers say, else its readiness, else its deletion. */
export function finishedAt(pod: KubeObject): number {
  const { metadata } = pod;
  const ready = conditionOf(pod, 'Ready');
  const unready = ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined;
  const deleted = parseTime(metadata.deletionTimestamp);
  const asked = deleted === undefined ? undefined : deleted - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return containersEnd(pod) ?? unready ?? asked ?? parseTime(metadata.creationTimestamp) ?? 0;
}

/** Undefined: one of them has not ended. Sidecars count. */
function containersEnd({ spec, status }: KubeObject): number | undefined {
  const initContainers = (spec?.initContainers ?? []) as { name: string; restartPolicy?: string }[];
  const sidecars = new Set(initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  const inits = ((status?.initContainerStatuses ?? []) as ContainerStatus[]).filter(({ name }) => sidecars.has(name));
  let latest: number | undefined;
  for (const { state } of [...((status?.containerStatuses ?? []) as ContainerStatus[]), ...inits]) {
    const end = parseTime(state?.terminated?.finishedAt);
    if (end === undefined) return undefined;
    latest = Math.max(latest ?? end, end);
  }
  return latest;
}

/** Failures since the last success, and when the last of them was, ms. */
export interface BackoffRecord {
  failures: number;
  last?: number;
}

/** The record with what has ended since (upstream `newBackoffRecord`). */
export function nextBackoff(
  before: BackoffRecord | undefined,
  succeeded: readonly KubeObject[],
  failed: readonly KubeObject[],
): BackoffRecord {
  const ends = failed.map(finishedAt);
  if (succeeded.length === 0) {
    const { failures = 0, last } = before ?? {};
    return ends.length === 0 ? { failures, last } : { failures: failures + ends.length, last: Math.max(...ends) };
  }
  const success = Math.max(...succeeded.map(finishedAt));
  const later = ends.filter((end) => end > success);
  return later.length === 0 ? { failures: 0 } : { failures: later.length, last: Math.max(...later) };
}

/** First delay before a failed pod is replaced, ms; each further one is twice as long, up to the longest. */
const backoffMs = 10_000;
const backoffMaxMs = 600_000;

/** When the next pod may be created, ms since the epoch; undefined: at once. */
export function mayCreateAt({ failures, last }: BackoffRecord): number | undefined {
  return failures === 0 || last === undefined ? undefined : last + Math.min(backoffMs * 2 ** (failures - 1), backoffMaxMs);
}
