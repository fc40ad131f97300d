import type { KubeObject } from '#libs/kernel';
import { parseTime } from '#libs/kernel';
import { humanDuration } from '../../../printing/age';
import type { Loose, Row } from '../../../printing/cell';
import { age, nameOf, none } from '../../../printing/cell';

const succeeded = [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }];
const failed = [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];

/** What the containers add up to, read in one pass over their statuses. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  /** When the last container that was restarted had ended; ms since the epoch. */
  restartedAt: number | undefined;
}

function endedBefore(container: Loose): number | undefined {
  return parseTime(container.lastState?.terminated?.finishedAt);
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function terminatedReason({ reason, signal, exitCode = 0 }: Loose): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function isTrue(conditions: Loose[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** Init containers in order, up to the first that has not finished; sidecars count as ready and as restarted with the pod. */
function tallyInit(pod: KubeObject, start: string): { tally: Tally; sidecars: Tally; initializing: boolean } {
  const tally: Tally = { reason: start, ready: 0, restarts: 0, restartedAt: undefined };
  const sidecars: Tally = { reason: start, ready: 0, restarts: 0, restartedAt: undefined };
  const specs: Loose[] = pod.spec?.initContainers ?? [];
  const restartable = new Set(specs.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  for (const [index, container] of ((pod.status?.initContainerStatuses ?? []) as Loose[]).entries()) {
    const sidecar = restartable.has(container.name);
    for (const counted of sidecar ? [tally, sidecars] : [tally]) {
      counted.restarts += container.restartCount ?? 0;
      counted.restartedAt = later(counted.restartedAt, endedBefore(container));
    }
    const { terminated, waiting } = container.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready) tally.ready++;
      continue;
    }
    if (terminated) tally.reason = `Init:${terminatedReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') tally.reason = `Init:${waiting.reason}`;
    else tally.reason = `Init:${index}/${specs.length}`;
    return { tally, sidecars, initializing: true };
  }
  return { tally, sidecars, initializing: false };
}

/** Main containers, the first one's reason having the last word. */
function tallyMain(pod: KubeObject, tally: Tally): void {
  let running = false;
  const statuses: Loose[] = pod.status?.containerStatuses ?? [];
  for (let index = statuses.length - 1; index >= 0; index--) {
    const container = statuses[index];
    tally.restarts += container.restartCount ?? 0;
    tally.restartedAt = later(tally.restartedAt, endedBefore(container));
    const { terminated, waiting, running: runs } = container.state ?? {};
    if (waiting?.reason) tally.reason = waiting.reason;
    else if (terminated) tally.reason = terminatedReason(terminated);
    else if (container.ready && runs) {
      running = true;
      tally.ready++;
    }
  }
  if (tally.reason === 'Completed' && running) tally.reason = isTrue(pod.status?.conditions ?? [], 'Ready') ? 'Running' : 'NotReady';
}

function tallyOf(pod: KubeObject): Tally {
  const { phase = '', reason, conditions = [] } = pod.status ?? {};
  const gated = (conditions as Loose[]).some((condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated');
  const { tally, sidecars, initializing } = tallyInit(pod, gated ? 'SchedulingGated' : reason || phase);
  if (!initializing || isTrue(conditions, 'Initialized')) {
    tally.restarts = sidecars.restarts;
    tally.restartedAt = sidecars.restartedAt;
    tallyMain(pod, tally);
  }
  if (pod.metadata.deletionTimestamp) {
    if (reason === 'NodeLost') tally.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') tally.reason = 'Terminating';
  }
  return tally;
}

function readinessGates(pod: KubeObject): string {
  const gates: Loose[] = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const conditions: Loose[] = pod.status?.conditions ?? [];
  const open = gates.filter(({ conditionType }) => conditions.find(({ type }) => type === conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}

export function podRow(pod: KubeObject, now: number): Row {
  const tally = tallyOf(pod);
  const sidecars = ((pod.spec?.initContainers ?? []) as Loose[]).filter(({ restartPolicy }) => restartPolicy === 'Always').length;
  const containers = (pod.spec?.containers?.length ?? 0) + sidecars;
  const since = tally.restartedAt === undefined || tally.restarts === 0 ? '' : ` (${humanDuration(now - tally.restartedAt)} ago)`;
  const row: Row = {
    cells: [
      nameOf(pod),
      `${tally.ready}/${containers}`,
      tally.reason,
      `${tally.restarts}${since}`,
      age(pod, now),
      pod.status?.podIPs?.[0]?.ip || none,
      pod.spec?.nodeName || none,
      pod.status?.nominatedNodeName || none,
      readinessGates(pod),
    ],
  };
  if (pod.status?.phase === 'Succeeded') row.conditions = succeeded;
  if (pod.status?.phase === 'Failed') row.conditions = failed;
  return row;
}
