import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { specOf, statusOf } from '../pod-types';
import { neverStarted, type ContainerRun, type PodRuntime, type Verdict } from '../runtime/container-run';
import { conditionsOf } from './conditions';
import { containerStatusOf } from './container-status';
import { phaseOf, type Phase } from './phase';

/** Addresses as the pod's status shows them. */
export interface NodeAddress {
  hostIP: string;
}

/**
 * The status that a pod's spec and its containers' runs add up to. Fields of others (qosClass, conditions, a nomination) are
 * kept. A final phase is told only when nothing can run any more.
 */
export function podStatusOf(pod: KubeObject, runtime: PodRuntime, node: NodeAddress, now: number): JsonObject {
  const spec = specOf(pod);
  const old = statusOf(pod);
  const sum = phaseOf(runtime, spec.restartPolicy ?? 'Always', now);
  const verdict = verdictOn(runtime, sum);
  const reached: Phase = verdict ? 'Failed' : sum;
  const generation = runtime.isUnaware ? old.observedGeneration : pod.metadata.generation;
  const conditions = conditionsOf(pod, runtime, reached, { generation, now });
  if (runtime.finished) loseUnstarted(runtime);
  const withheld = (reached === 'Failed' || reached === 'Succeeded') && !runtime.finished;
  const told = withheld ? (old.phase ?? 'Pending') : runtime.finished && reached !== 'Succeeded' ? 'Failed' : reached;
  const podIP = spec.hostNetwork ? node.hostIP : runtime.podIP;
  const list = (runs: readonly ContainerRun[]): JsonObject[] => runs.map((run) => containerStatusOf(run, spec.securityContext, now));
  return {
    ...(podIP === undefined ? withoutAddress(pod) : pod.status),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: told,
    conditions,
    ...(verdict && runtime.finished ? { message: verdict.message, reason: verdict.reason } : {}),
    hostIP: node.hostIP,
    hostIPs: [{ ip: node.hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: old.startTime ?? formatTime(runtime.acceptedAt),
    ...(runtime.init.length > 0 ? { initContainerStatuses: list(runtime.init) } : {}),
    containerStatuses: list(runtime.main),
    ...(runtime.ephemeral.length > 0 ? { ephemeralContainerStatuses: list(runtime.ephemeral) } : {}),
  };
}

/** The status of a pod whose sandbox is gone, and nobody remembers its address. */
export function withoutAddress({ status }: KubeObject): JsonObject {
  const { podIP: _, podIPs: _all, ...rest } = (status ?? {}) as JsonObject;
  return rest;
}

/** What the kubelet has to say instead of what the containers add up to. */
function verdictOn({ verdict, finished }: PodRuntime, sum: Phase): Verdict | undefined {
  if (!verdict?.isLate) return verdict;
  return finished && sum !== 'Succeeded' ? verdict : undefined;
}

/**
 * Containers of which nothing is known at the end count as killed: the main ones once the pod was initialised, init
 * containers but for those at the end of the line that never had their turn (upstream status manager `TerminatePod`).
 */
function loseUnstarted(runtime: PodRuntime): void {
  if (mainsHadTheirTurn(runtime)) for (const run of runtime.main) lose(run);
  let last = runtime.init.length - 1;
  while (last > 0 && neverStarted(runtime.init[last] as ContainerRun)) last--;
  for (let i = 0; i <= last; i++) lose(runtime.init[i] as ContainerRun);
}

function mainsHadTheirTurn(runtime: PodRuntime): boolean {
  const lastInit = runtime.init[runtime.init.length - 1];
  if (!lastInit) return true;
  if (runtime.main.some((run) => run.state !== 'waiting' || run.exit)) return true;
  return lastInit.state === 'exited' && lastInit.exit?.exitCode === 0;
}

function lose(run: ContainerRun): void {
  if (run.state !== 'waiting') return;
  run.previous = run.exit;
  run.exit = { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'The container could not be located when the pod was terminated' };
  run.state = 'exited';
}
