// What a cluster's scheduler wrote about one pod, against the recorded decision; and what the cluster stored, against the recording.
import type { RecordedEvent } from '#libs/event-log';
import type { VictimReference } from '#libs/events';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import type { ExpectedPreemption, Scenario, SingleExpectation } from '../scenario';

type Differ = (what: string, expected: unknown, actual: unknown) => void;

/** The decision as the log has it. A member of a recorded tie is right. */
export function compareEvents(scenario: Scenario, events: readonly RecordedEvent[], differ: Differ): void {
  const pod = scenario.pod as KubeObject;
  const expected = scenario.expect as SingleExpectation;
  const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
  const own = events.filter(({ stream }) => stream.endsWith(`.pods-${key}`));
  const first = own.find(({ type }) => type === 'PodScheduled' || type === 'PodSchedulingFailed');
  const node = first?.type === 'PodScheduled' ? (first.data.node as string) : undefined;
  if (expected.best.length > 0) {
    if (node === undefined || !expected.best.includes(node))
      differ('node', expected.best, node ?? first?.data.message ?? 'nothing written');
    return;
  }
  if (node !== undefined || first === undefined) {
    differ('outcome', expected.message, node ?? 'nothing written');
    return;
  }
  if (first.data.message !== expected.message) differ('message', expected.message, first.data.message);
  const decided = events.find(({ type, data }) => type === 'PreemptionDecided' && `${String(data.namespace)}/${String(data.pod)}` === key);
  comparePreemption(expected.preemption, decided, differ);
  compareNomination(pod, expected.preemption, decided?.data.node as string | undefined, own, differ);
}

function comparePreemption(expected: ExpectedPreemption | undefined, decided: RecordedEvent | undefined, differ: Differ): void {
  const chosen = expected?.chosen ?? [];
  const node = decided?.data.node as string | undefined;
  if (decided === undefined || node === undefined || !chosen.includes(node)) {
    if (chosen.length > 0 || node !== undefined) differ('preempted on', chosen, node);
    return;
  }
  const { victims, numPDBViolations } = expected?.candidates?.find((candidate) => candidate.node === node) ?? {};
  const taken = (decided.data.victims as unknown as VictimReference[]).map(({ namespace, name }) => `${namespace}/${name}`);
  if (!jsonEqual(victims, taken)) differ(`victims on ${node}`, victims, taken);
  if (decided.data.budgetViolations !== numPDBViolations) differ('budget violations', numPDBViolations, decided.data.budgetViolations);
  const { decidedBy } = decided.data;
  if (decidedBy !== expected?.decidedBy) differ('decided by', expected?.decidedBy, decidedBy);
}

/** An earlier nomination that falls is cleared in the same attempt, one to the same node stands; otherwise it is left as it was. */
function compareNomination(
  pod: KubeObject,
  expected: ExpectedPreemption | undefined,
  node: string | undefined,
  own: readonly RecordedEvent[],
  differ: Differ,
): void {
  const before = pod.status?.nominatedNodeName as string | undefined;
  const nominated = own.find(({ type }) => type === 'PodNominated')?.data.node;
  const cleared = own.some(({ type }) => type === 'PodNominationCleared');
  const mustClear = expected?.nominatedNodeName === '' && Boolean(before);
  if (cleared !== mustClear) differ('nomination cleared', mustClear, cleared);
  const wanted = node === before ? undefined : node;
  if (nominated !== wanted) differ('nominated', wanted, nominated);
}

/** Everything the recording says of an object must be what is stored of it; the API may only add what scheduling does not read. */
export function compareStored(recorded: KubeObject, stored: KubeObject | undefined, differ: Differ): void {
  const { kind, metadata } = recorded;
  const name = `${kind} ${metadata.name}`;
  if (stored === undefined) {
    differ(name, 'stored', 'absent');
    return;
  }
  for (const [part, wanted, actual] of [
    ['labels', metadata.labels ?? {}, stored.metadata.labels ?? {}],
    ['spec', recorded.spec ?? {}, stored.spec ?? {}],
    ['status', recorded.status ?? {}, stored.status ?? {}],
    ['deletion', metadata.deletionTimestamp !== undefined, stored.metadata.deletionTimestamp !== undefined],
    ['taints', recorded.spec?.taints ?? [], stored.spec?.taints ?? []],
    ['constraints', recorded.spec?.topologySpreadConstraints?.length ?? 0, stored.spec?.topologySpreadConstraints?.length ?? 0],
  ] as const) {
    if (!holds(actual, wanted, '')) differ(`${name} ${part}`, wanted, actual);
  }
}

/** Lists of which admission may make longer ones. */
const extended = new Set(['tolerations']);
/** Names of classes are given anew (see as-submitted.ts). */
const renamed = new Set(['runtimeClassName']);

function holds(actual: unknown, wanted: unknown, field: string): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return false;
    if (extended.has(field) ? actual.length < wanted.length : actual.length !== wanted.length) return false;
    return wanted.every((item, index) => holds(actual[index], item, ''));
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted === actual;
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(wanted).every(
    ([key, value]) => isEmpty(value) || renamed.has(key) || holds((actual as Record<string, unknown>)[key], value, key),
  );
}

/** `lastState: {}` and the like are as good as absent. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
