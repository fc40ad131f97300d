import { conditionOf, noMarks, type ClusterState, type PodMarks } from '#libs/cluster-state';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import type { KubeletDefaults } from '../behaviour';
import { statusOf, type ContainerStatus } from '../pod-lifecycle/pod-types';
import type { PodRuntime } from '../pod-lifecycle/runtime/container-run';
import { readRuntime } from '../pod-lifecycle/runtime/read-runtime';

interface Known {
  marks: PodMarks;
  kubeletSince: number;
  runtime: Readonly<PodRuntime>;
}

/** How long starts take says nothing of what is used. */
const ofNoConcern: KubeletDefaults = { startupMs: 0, onTerm: 'exit' };

/** By the version of the pod: of the pods of a node, few have changed since the last look at it. What is here can be found again. */
const known = new WeakMap<KubeObject, Known>();

/**
 * A pod's containers as the log has them; nobody may change them.
 * @param kubeletSince when the kubelet of the pod's node began, ms
 */
export function runsOfPod(cluster: ClusterState, pod: KubeObject, kubeletSince: number): Readonly<PodRuntime> {
  const marks = cluster.decisions.podMarks.get(pod.metadata.uid) ?? noMarks;
  const found = known.get(pod);
  if (found && found.marks === marks && found.kubeletSince === kubeletSince) return found.runtime;
  const runtime = readRuntime(pod, marks, ofNoConcern, kubeletSince);
  known.set(pod, { marks, kubeletSince, runtime });
  return runtime;
}

/** Whether one version of a pod may use something else than the version before: its spec, its annotations, or what runs in it is otherwise. */
export function runsOtherwise(before: KubeObject, after: KubeObject): boolean {
  if (before.metadata.uid !== after.metadata.uid || before.metadata.annotations !== after.metadata.annotations) return true;
  if (before.spec !== after.spec) return true;
  const [was, is] = [statusOf(before), statusOf(after)];
  if (was.phase !== is.phase || was.startTime !== is.startTime || sandboxOf(before) !== sandboxOf(after)) return true;
  return (['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const).some((list) => {
    const [old, now] = [was[list] ?? [], is[list] ?? []];
    return old.length !== now.length || now.some((status, index) => isOtherRun(old[index] as ContainerStatus, status));
  });
}

function isOtherRun(before: ContainerStatus, after: ContainerStatus): boolean {
  return before.restartCount !== after.restartCount || !jsonEqual(before.state, after.state);
}

function sandboxOf(pod: KubeObject): string | undefined {
  return conditionOf(pod, 'PodReadyToStartContainers')?.status;
}
