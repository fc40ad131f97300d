import { conditionOf, preciseTime, type PodMarks, type RunMark } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { behaviourOf, type ContainerRole, type KubeletDefaults } from '../../behaviour';
import { specOf, statusOf, type Container, type ContainerStatus, type ResourceRequirements, type TerminatedState } from '../pod-types';
import { hookOutcome } from './hooks';
import type { ContainerRun, Exit, PodRuntime, ProbeGround } from './container-run';

/**
 * The container runtime's knowledge of a pod, read back from what the kubelet last wrote about it.
 * @param kubeletStartedAt when the node's kubelet last began anew, ms
 */
export function readRuntime(
  pod: KubeObject,
  marks: PodMarks,
  defaults: KubeletDefaults,
  now: number,
  kubeletStartedAt?: number,
): PodRuntime {
  const spec = specOf(pod);
  const status = statusOf(pod);
  const acceptedAt = preciseTime(status.startTime, marks.accepted) ?? now;
  const made: { runtime?: PodRuntime } = {};
  const ground: ProbeGround = {
    uid: pod.metadata.uid,
    acceptedAt,
    kubeletStartedAt,
    // While the runs are read there is only what the status says.
    podIP: () => (spec.hostNetwork ? status.hostIP : (made.runtime?.podIP ?? status.podIP)) ?? '',
    programAnswers: () => undefined,
  };
  const readAll = (containers: Container[] | undefined, statuses: ContainerStatus[] | undefined, role: ContainerRole): ContainerRun[] =>
    (containers ?? []).map((container, index) => {
      const own = role === 'init' && container.restartPolicy === 'Always' ? 'sidecar' : role;
      const behaviour = behaviourOf(pod, container, own, defaults);
      const image = container.image ?? '';
      const run: ContainerRun = {
        container,
        role: own,
        behaviour,
        ground,
        state: 'waiting',
        restartCount: 0,
        exitShown: false,
        image,
        imageId: '',
        allocated: marks.resize?.allocated[container.name] ?? container.resources ?? {},
        actual: {},
      };
      run.actual = run.allocated;
      const found = statusNamed(statuses, container.name, index);
      if (found) readStatus(run, found, marks.runs?.[container.name], pod);
      else run.waitingReason = role === 'ephemeral' ? 'ContainerCreating' : initialReason(spec.initContainers);
      return run;
    });
  const runtime: PodRuntime = {
    acceptedAt,
    ground,
    observedAt: marks.observed ?? marks.accepted,
    sandbox: conditionOf(pod, 'PodReadyToStartContainers')?.status === 'True',
    podIP: status.podIP,
    init: readAll(spec.initContainers, status.initContainerStatuses, 'init'),
    main: readAll(spec.containers, status.containerStatuses, 'main'),
    ephemeral: readAll(spec.ephemeralContainers, status.ephemeralContainerStatuses, 'ephemeral'),
    resize: {
      pending: conditionOf(pod, 'PodResizePending'),
      inProgress: conditionOf(pod, 'PodResizeInProgress'),
      allocatedAt: marks.resize?.at,
    },
    finished: false,
  };
  made.runtime = runtime;
  return runtime;
}

function initialReason(initContainers: Container[] | undefined): string {
  return initContainers && initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

/** Statuses stand in the order of the spec; a stranger may have written them otherwise. */
function statusNamed(statuses: ContainerStatus[] | undefined, name: string, index: number): ContainerStatus | undefined {
  const there = statuses?.[index];
  return there?.name === name ? there : statuses?.find((status) => status.name === name);
}

function readStatus(run: ContainerRun, status: ContainerStatus, mark: RunMark | undefined, pod: KubeObject): void {
  const { state, lastState } = status;
  run.restartCount = status.restartCount;
  run.resizedAt = mark?.resized;
  run.containerId = status.containerID;
  if (status.containerID) {
    run.image = status.image;
    run.imageId = status.imageID;
  }
  const own = mark && mark.run === status.restartCount ? mark : undefined;
  run.backOffMs = own?.backOffMs;
  run.killed = own?.killed;
  run.shownAt = own?.shown;
  if (state.running) {
    run.state = 'running';
    run.startedAt = preciseTime(state.running.startedAt, own?.started) ?? 0;
    run.previous = readExit(lastState.terminated, undefined);
    if (status.resources) run.actual = status.resources as ResourceRequirements;
  } else if (state.terminated) {
    run.state = 'exited';
    run.exitShown = true;
    run.exit = readExit(state.terminated, own);
    run.previous = readExit(lastState.terminated, undefined);
  } else {
    run.waitingReason = state.waiting?.reason;
    run.waitingMessage = state.waiting?.message;
    run.exit = readExit(lastState.terminated, own);
    run.hookFailed = hasFailedAfterStart(run, pod);
  }
}

function hasFailedAfterStart(run: ContainerRun, pod: KubeObject): boolean {
  const startedAt = run.exit?.startedAt;
  if (startedAt === undefined) return false;
  return hookOutcome(run.container.lifecycle?.postStart, run, pod, { startedAt, at: startedAt })?.failure !== undefined;
}

function readExit(terminated: TerminatedState | undefined, mark: RunMark | undefined): Exit | undefined {
  if (!terminated) return undefined;
  return {
    exitCode: terminated.exitCode,
    reason: terminated.reason ?? '',
    message: terminated.message,
    startedAt: preciseTime(terminated.startedAt, mark?.started),
    finishedAt: preciseTime(terminated.finishedAt, mark?.finished),
    containerId: terminated.containerID,
  };
}
