import type { KubeObject } from '#libs/kernel';
import { filesOfContainer, followProgram, runCommand, type Files, type ProgramContainer, type World } from '#libs/kubelet';
import type { ClusterView } from '../serving/cluster-view';

/** Containers whose files are kept at a time; those that were used longest ago are forgotten. */
const containersMax = 16;

interface Kept {
  files: Files;
  /** `files.changes` as the container itself has left them. */
  own: number;
}

const known = new WeakMap<ClusterView, Map<string, Kept>>();

/**
 * Files of a running container for those who run commands in it, as its program and its postStart hook have left them. From the first
 * change that a command makes they go on by themselves: what one writes the next one finds, for as long as this process and that run of
 * the container last. They are in no log, and the container's own program does not see them.
 * @param startedAt of the run, ms since the epoch
 */
export function filesOf(
  pod: KubeObject,
  spec: ProgramContainer & WithHook,
  containerId: string,
  startedAt: number,
  view: ClusterView,
  world: World,
): Files {
  let containers = known.get(view);
  if (!containers) known.set(view, (containers = new Map()));
  let kept = containers.get(containerId);
  if (!kept || kept.files.changes === kept.own) {
    const files = leftByItself(pod, spec, startedAt, view, world);
    kept = { files, own: files.changes };
  }
  containers.delete(containerId);
  containers.set(containerId, kept);
  for (const oldest of containers.keys()) {
    if (containers.size <= containersMax) break;
    containers.delete(oldest);
  }
  return kept.files;
}

interface WithHook {
  lifecycle?: { postStart?: { exec?: { command?: string[] } } };
}

function leftByItself(pod: KubeObject, spec: ProgramContainer & WithHook, startedAt: number, view: ClusterView, world: World): Files {
  let files: Files | undefined;
  followProgram(pod, spec, world, startedAt, { untilMs: view.time - startedAt, turnsShown: 1, look: (left) => (files = left) });
  files ??= filesOfContainer(pod, spec, world);
  const hook = spec.lifecycle?.postStart?.exec?.command;
  if (hook) runCommand(hook, pod, spec, world, { files, at: startedAt });
  return files;
}
