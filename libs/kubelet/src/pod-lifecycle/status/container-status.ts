import { formatTime, type JsonObject } from '#libs/kernel';
import type { ContainerStatus, SecurityContext, VolumeMount } from '../pod-types';
import type { ContainerRun, Exit } from '../runtime/container-run';
import { probe } from '../runtime/probes';

/** The status of one container as v1.34 writes it; what the runtime makes known only with the container comes with its id. */
export function containerStatusOf(run: ContainerRun, podSecurity: SecurityContext | undefined, now: number): ContainerStatus {
  const { started, ready } = probe(run, now);
  const { volumeMounts } = run.container;
  return {
    name: run.container.name,
    state: stateOf(run),
    lastState: lastStateOf(run),
    ready,
    restartCount: run.restartCount,
    image: run.image,
    imageID: run.imageId,
    ...(run.containerId === undefined ? {} : { containerID: run.containerId }),
    ...(run.role === 'ephemeral' ? {} : { started }),
    ...(run.containerId === undefined ? {} : resourcesOf(run)),
    ...(volumeMounts && volumeMounts.length > 0 ? { volumeMounts: volumeMounts.map(mountStatusOf) } : {}),
    ...(run.containerId === undefined ? {} : { user: { linux: userOf(run.container.securityContext, podSecurity) } }),
  };
}

function stateOf(run: ContainerRun): JsonObject {
  if (run.state === 'running') return { running: { startedAt: formatTime(run.startedAt ?? 0) } };
  if (run.state === 'exited' && run.exit) return { terminated: terminatedOf(run.exit) };
  return {
    waiting: {
      ...(run.waitingReason ? { reason: run.waitingReason } : {}),
      ...(run.waitingMessage ? { message: run.waitingMessage } : {}),
    },
  };
}

function lastStateOf(run: ContainerRun): JsonObject {
  const last = run.state === 'waiting' ? run.exit : run.previous;
  return last ? { terminated: terminatedOf(last) } : {};
}

function terminatedOf(exit: Exit): JsonObject {
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    ...(exit.message ? { message: exit.message } : {}),
    startedAt: exit.startedAt === undefined ? null : formatTime(exit.startedAt),
    finishedAt: exit.finishedAt === undefined ? null : formatTime(exit.finishedAt),
    ...(exit.containerId === undefined ? {} : { containerID: exit.containerId }),
  };
}

function resourcesOf({ allocated, actual: { requests, limits } }: ContainerRun): JsonObject {
  return {
    ...(allocated.requests ? { allocatedResources: allocated.requests } : {}),
    resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) },
  };
}

function mountStatusOf(mount: VolumeMount): JsonObject {
  const readOnly = mount.readOnly ? { readOnly: true, recursiveReadOnly: mount.recursiveReadOnly ?? 'Disabled' } : {};
  return { name: mount.name, mountPath: mount.mountPath, ...readOnly };
}

/** Images run as root unless the pod says otherwise. */
function userOf(own: SecurityContext | undefined, pod: SecurityContext | undefined): JsonObject {
  const gid = own?.runAsGroup ?? pod?.runAsGroup ?? 0;
  const groups = [gid, ...(pod?.fsGroup === undefined ? [] : [pod.fsGroup]), ...(pod?.supplementalGroups ?? [])];
  return { uid: own?.runAsUser ?? pod?.runAsUser ?? 0, gid, supplementalGroups: [...new Set(groups)] };
}
