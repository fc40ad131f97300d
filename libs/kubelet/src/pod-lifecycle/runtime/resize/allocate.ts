import { isStaticPod } from '#libs/cluster-state';
import { fact } from '#libs/events';
import { quantityMilli, quantityValue, type KubeObject } from '#libs/kernel';
import { podInfoOf } from '#libs/scheduling';
import { admissionFailure } from '../../../admission/admit';
import type { ContainerRun, PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { changedResources, needsRestart } from './amounts';
import { resizeCondition } from './conditions';

/** A resize that has to wait is tried again after this time, ms, though nothing has become free. */
const retryMs = 180_000;

/** Why the resources that are asked for cannot be set aside. */
interface Refusal {
  /** `Infeasible`: never, on this node. `Deferred`: not while others have them. */
  reason: 'Infeasible' | 'Deferred';
  message: string;
}

/** Sets aside what the spec asks for, if it asks for something else than before and the node has it (upstream allocation manager). */
export function allocate(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { resize } = runtime;
  const resized = resizable(runtime).filter((run) => changedResources(run.allocated, run.container.resources ?? {}).length > 0);
  if (resized.length === 0) {
    resize.pending = undefined;
    return;
  }
  const { pod, node, now } = passage;
  const refusal = refusalOf(passage);
  if (refusal) {
    resize.pending = resizeCondition('PodResizePending', refusal, resize.pending, pod, now);
    if (refusal.reason === 'Deferred') wakeBy(progress, now + retryMs, now);
    return;
  }
  for (const run of resized) {
    run.allocated = run.container.resources ?? {};
    run.resizedAt = now;
    if (run.state === 'running' && needsRestart(run.container, run.actual, run.allocated)) {
      const message = `Container ${run.container.name} resize requires restart`;
      progress.notes.push({ type: 'Normal', reason: 'Killing', message, container: run.container.name });
    }
  }
  runtime.resize = { inProgress: resizeCondition('PodResizeInProgress', {}, undefined, pod, now), allocatedAt: now };
  const containers = resized.map((run) => run.container.name);
  progress.facts.push(fact('PodResizeAllocated', { node: node.metadata.name, containers }));
}

/** Sidecars and main containers; others keep what they were made with. */
export function resizable({ init, main }: PodRuntime): ContainerRun[] {
  const sidecars = init.filter((run) => run.role === 'sidecar');
  return sidecars.length === 0 ? main : [...sidecars, ...main];
}

function refusalOf({ pod, node, neighbours }: Passage): Refusal | undefined {
  if (isStaticPod(pod)) return { reason: 'Infeasible', message: 'In-place resize of static-pods is not supported' };
  // What the pod runs with now is of no account.
  const asked: KubeObject = { ...pod, status: undefined };
  const shortage = beyondNode(asked, node);
  if (shortage) return { reason: 'Infeasible', message: `Node didn't have enough capacity: ${shortage}` };
  const failure = admissionFailure(asked, node, neighbours());
  return failure && { reason: 'Deferred', message: failure.message };
}

function beyondNode(pod: KubeObject, { status }: KubeObject): string | undefined {
  const { milliCpu, memory } = podInfoOf(pod).requests;
  const memoryMax = quantityValue(status?.allocatable?.memory);
  const cpuMax = quantityMilli(status?.allocatable?.cpu);
  if (memory > memoryMax) return `memory, requested: ${memory}, capacity: ${memoryMax}`;
  return milliCpu > cpuMax ? `cpu, requested: ${milliCpu}, capacity: ${cpuMax}` : undefined;
}
