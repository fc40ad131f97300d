import { isTerminal, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { ContainerBehaviour } from '../behaviour';
import { tellsOfUsage, withUsageOfObjects } from '../kwok/resource-usage';
import { isAccepted, specOf, type Container } from '../pod-lifecycle/pod-types';
import { allRuns, type ContainerRun, type PodRuntime } from '../pod-lifecycle/runtime/container-run';
import { runsOfPod } from './runs-of-pod';
import { lineOf, lookFrom, sumOf, type Looks, type UsageLine } from './usage-line';
import { usualMemoryBytes, usualPids } from './usual-use';

export interface ContainerUsage {
  name: string;
  requests: Readonly<Record<string, string>>;
  limits: Readonly<Record<string, string>>;
  memory: UsageLine;
  disk: UsageLine;
  inodes: UsageLine;
  pids: UsageLine;
  behaviour: ContainerBehaviour;
  startedAt: number;
}

/** What a pod's containers have written into an emptyDir. */
export interface VolumeUsage {
  name: string;
  sizeLimit?: string;
  /** It is memory of the node, not disk. */
  inMemory: boolean;
  used: UsageLine;
  /** As the kubelet knows it, which measures volumes once a minute. */
  measured: UsageLine;
}

/** What a pod uses, by its running containers, sidecars first. */
export interface PodUsage {
  pod: KubeObject;
  /** Undefined: its sandbox is not there, and nothing can be measured. */
  containers: readonly ContainerUsage[] | undefined;
  volumes: readonly VolumeUsage[];
}

/** Volumes are measured this often, ms (upstream `volumeStatsAggPeriod`). */
const volumesEveryMs = 60_000;

interface EmptyDirVolume {
  name: string;
  emptyDir?: { sizeLimit?: string; medium?: string };
}

/** @param kubeletSince when the kubelet of the pod's node began, ms */
export function podUsage(cluster: ClusterState, pod: KubeObject, kubeletSince: number): PodUsage {
  const runtime = runsOfPod(cluster, pod, kubeletSince);
  // What objects say besides may change without the pod.
  if (tellsOfUsage(cluster)) return usageOf(cluster, pod, runtime, kubeletSince);
  let usage = usages.get(runtime);
  if (!usage) usages.set(runtime, (usage = usageOf(cluster, pod, runtime, kubeletSince)));
  return usage;
}

const usages = new WeakMap<Readonly<PodRuntime>, PodUsage>();

function usageOf(cluster: ClusterState, pod: KubeObject, runtime: Readonly<PodRuntime>, kubeletSince: number): PodUsage {
  const containers: ContainerUsage[] = [];
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running' || run.startedAt === undefined) continue;
    const { container, startedAt } = run;
    const behaviour = withUsageOfObjects(cluster, pod, run);
    const { name, resources: { requests = {}, limits = {} } = {} } = container;
    const memory = lineOf(behaviour.memory, startedAt, usualMemoryBytes);
    const disk = lineOf(behaviour.disk, startedAt, 0);
    const [inodes, pids] = [lineOf(behaviour.inodes, startedAt, 0), lineOf(behaviour.pids, startedAt, usualPids)];
    containers.push({ name, requests, limits, memory, disk, inodes, pids, behaviour, startedAt });
  }
  const looks = { from: kubeletSince, everyMs: volumesEveryMs };
  const volumes = ((pod.spec?.volumes ?? []) as EmptyDirVolume[]).flatMap((volume) =>
    volume.emptyDir ? [volumeUsage(volume, [...allRuns(runtime)], runtime.acceptedAt, looks)] : [],
  );
  return { pod, containers: runtime.sandbox ? containers : undefined, volumes };
}

function volumeUsage(
  { name, emptyDir = {} }: EmptyDirVolume,
  runs: readonly ContainerRun[],
  acceptedAt: number,
  looks: Looks,
): VolumeUsage {
  const used = sumOf(runs.flatMap((run) => writtenBy(run, name, acceptedAt)));
  const inMemory = emptyDir.medium === 'Memory';
  const measured = used.map((piece) => ({ ...piece, from: lookFrom(looks, piece.from) }));
  return { name, ...(emptyDir.sizeLimit === undefined ? {} : { sizeLimit: emptyDir.sizeLimit }), inMemory, used, measured };
}

/** A later run writes the same over again. */
function writtenBy({ container, behaviour, startedAt, restartCount, exit }: ContainerRun, volume: string, acceptedAt: number): UsageLine[] {
  const mounts = (container.volumeMounts ?? []).filter(({ name }) => name === volume);
  return behaviour.writes
    .filter(({ mountPath }) => mounts.some((mount) => mount.mountPath === mountPath))
    .flatMap(({ atMs, bytes }) => {
      if (restartCount > 0) return [[{ from: acceptedAt, amount: bytes, perMs: 0 }]];
      const since = startedAt ?? exit?.startedAt;
      if (since === undefined || (exit?.finishedAt !== undefined && since + atMs > exit.finishedAt)) return [];
      return [[{ from: since + atMs, amount: bytes, perMs: 0 }]];
    });
}

export const memoryOf = ({ containers = [], volumes }: PodUsage): UsageLine =>
  sumOf([...containers.map(({ memory }) => memory), ...volumes.filter(({ inMemory }) => inMemory).map(({ used }) => used)]);

/** Containers' own layers and their volumes, as they are. */
export const diskOf = ({ containers = [], volumes }: PodUsage): UsageLine =>
  sumOf([...containers.map(({ disk }) => disk), ...volumes.filter(({ inMemory }) => !inMemory).map(({ used }) => used)]);

/** Files that its containers have made. */
export const inodesOf = ({ containers = [] }: PodUsage): UsageLine => sumOf(containers.map(({ inodes }) => inodes));

/** Processes of its containers. */
export const pidsOf = ({ containers = [] }: PodUsage): UsageLine => sumOf(containers.map(({ pids }) => pids));

/** Bytes on disk as the kubelet knows them. */
export const measuredDiskOf = ({ containers = [], volumes }: PodUsage): UsageLine =>
  sumOf([...containers.map(({ disk }) => disk), ...volumes.filter(({ inMemory }) => !inMemory).map(({ measured }) => measured)]);

/** The kubelet runs it: it counts among what can be evicted. */
export function isActive(pod: KubeObject): boolean {
  return isAccepted(pod) && !isTerminal(pod);
}

/** Something is said of what the pod uses, or it is limited in what it may store. Of others the kubelet need not be aware. */
export function isNoteworthy(pod: KubeObject): boolean {
  const { annotations } = pod.metadata;
  if (annotations) for (const key in annotations) if (key.startsWith('kubereel.dev/')) return true;
  const { containers = [] } = specOf(pod);
  return containers.some(limitsStorage) || ((pod.spec?.volumes ?? []) as EmptyDirVolume[]).some(({ emptyDir }) => emptyDir?.sizeLimit);
}

function limitsStorage({ resources }: Container): boolean {
  return resources?.limits?.['ephemeral-storage'] !== undefined;
}
