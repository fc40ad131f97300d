import type { Condition } from '#libs/cluster-state';
import { formatTime, type KubeObject } from '#libs/kernel';
import { specOf, statusOf } from '../pod-types';
import { hasInitialized, type PodRuntime } from '../runtime/container-run';
import { resizeConditions } from '../runtime/resize';
import { probe } from '../runtime/probes';
import type { Phase } from './phase';

interface Verdict {
  status: 'True' | 'False';
  reason?: string;
  message?: string;
}

/** The pod's generation that the kubelet has taken note of, and when (ms) it looks. */
interface Observed {
  generation: number | undefined;
  now: number;
}

const yes: Verdict = { status: 'True' };

/** Kept from elsewhere: these are the kubelet's own. */
const ownTypes: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  ...resizeConditions,
]);

/**
 * The pod's conditions: those of others first, then the kubelet's in its order. A time moves only when its status flips.
 * `phase` is what the containers add up to, even where the API is not told yet.
 */
export function conditionsOf(pod: KubeObject, runtime: PodRuntime, phase: Phase, { generation, now }: Observed): Condition[] {
  const old = statusOf(pod).conditions ?? [];
  const containersReady = containersReadiness(runtime, phase, now);
  const time = formatTime(now);
  const write = (type: string, { status, reason, message }: Verdict): Condition => {
    const before = old.find((condition) => condition.type === type);
    return {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status,
      lastProbeTime: null,
      lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? time) : time,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    };
  };
  const disruption = runtime.finished ? runtime.verdict?.disruption : undefined;
  const others = old.filter(({ type }) => !ownTypes.has(type) && !(disruption !== undefined && type === 'DisruptionTarget'));
  return [
    ...others,
    ...(runtime.finished ? [] : [runtime.resize.pending, runtime.resize.inProgress].filter((condition) => condition !== undefined)),
    ...(disruption === undefined
      ? []
      : [write('DisruptionTarget', { status: 'True', reason: 'TerminationByKubelet', message: disruption })]),
    write('PodReadyToStartContainers', { status: runtime.sandbox ? 'True' : 'False' }),
    write('Initialized', initialization(runtime, phase, now)),
    write('Ready', readiness(pod, containersReady, old)),
    write('ContainersReady', containersReady),
    write('PodScheduled', yes),
  ];
}

function initialization(runtime: PodRuntime, phase: Phase, now: number): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if (hasInitialized(runtime)) return yes;
  const incomplete = runtime.init
    .filter((run) => {
      const { started, ready } = probe(run, now);
      return run.role === 'sidecar' ? !started : !ready;
    })
    .map((run) => run.container.name);
  if (incomplete.length === 0) return yes;
  return { status: 'False', reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${incomplete.join(' ')}]` };
}

function containersReadiness(runtime: PodRuntime, phase: Phase, now: number): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready: string[] = [];
  for (const run of runtime.init) if (run.role === 'sidecar' && !probe(run, now).ready) unready.push(run.container.name);
  for (const run of runtime.main) if (!probe(run, now).ready) unready.push(run.container.name);
  if (unready.length === 0) return yes;
  return { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
}

function readiness(pod: KubeObject, containersReady: Verdict, conditions: readonly Condition[]): Verdict {
  if (containersReady.status !== 'True') return containersReady;
  const unmet: string[] = [];
  for (const { conditionType } of specOf(pod).readinessGates ?? []) {
    const condition = conditions.find((candidate) => candidate.type === conditionType);
    if (!condition) unmet.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (condition.status !== 'True') {
      unmet.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`);
    }
  }
  return unmet.length === 0 ? yes : { status: 'False', reason: 'ReadinessGatesNotReady', message: unmet.join(', ') };
}
