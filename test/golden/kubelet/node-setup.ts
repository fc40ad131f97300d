// The node of a recording, and how its kubelet was set up.
import type { KubeObject } from '#libs/kernel';
import { fact, type Fact } from '#libs/events';
import { evictionConfigOf, type KubeletOptions } from '#libs/kubelet';
import type { RecordedAction, RecordedLife, RecordedNode } from './recording';

const ordinary: RecordedNode = { name: 'node-a', cpu: 64, memoryMi: 131_072, reservedMi: 0, pods: 250 };

/** Undefined: its kubelet comes later, and brings it along. */
export function nodeOf(life: RecordedLife): KubeObject | undefined {
  return life.actions.some((action) => action.do === 'kubelet-start') && life.nodeTimeline?.some(({ type }) => type === 'ADDED')
    ? undefined
    : nodeObject(life);
}

/** The Node as its kubelet finds it. */
export function nodeObject({ node = ordinary }: RecordedLife): KubeObject {
  const { name, cpu, memoryMi, reservedMi, pods, diskMi = 102_400, taints } = node;
  const capacity = { cpu: String(cpu), memory: `${memoryMi}Mi`, pods: String(pods), 'ephemeral-storage': `${diskMi}Mi` };
  return {
    metadata: { name, labels: { 'sim/role': name } },
    spec: taints ? { taints } : {},
    status: { capacity, allocatable: { ...capacity, memory: `${memoryMi - reservedMi}Mi` } },
  } as unknown as KubeObject;
}

/** Other nodes were there and well: where all of a cluster's nodes are silent, nobody is made to leave. */
export const bystander = {
  metadata: { name: 'bystander' },
  spec: { taints: [{ key: 'kubereel.dev/bystander', effect: 'NoSchedule' }] },
} as unknown as KubeObject;

/**
 * One more node, of which nothing is heard before the record's own node falls silent: when its kubelet begins, and when it stops, ms before or after the
 * start. Other nodes shared the zone of a recording, and its turns at NoExecute taints, one in ten seconds: the taint tells by coming late that one
 * of them had just had its turn.
 */
export function neighbourOf(life: RecordedLife): { object: KubeObject; begins: number; stops: number } | undefined {
  const stop = life.actions.find((action) => action.do === 'kubelet-stop');
  const unknown = life.nodeTimeline?.find(({ status }) => JSON.stringify(status ?? {}).includes('NodeStatusUnknown'));
  const tainted = life.nodeTimeline?.find(isTainted);
  if (!stop || typeof unknown?.t !== 'number' || typeof tainted?.t !== 'number') return undefined;
  const late = Math.round(tainted.t - unknown.t) * 1_000;
  if (late < 2_000 || late >= turnMs) return undefined;
  const begins = kubeletBegins(life);
  const lastHeartbeat = begins + Math.floor((stop.at * 1_000 - begins) / turnMs) * turnMs;
  const object = { ...bystander, metadata: { name: 'neighbour' } } as unknown as KubeObject;
  return { object, begins: begins + late, stops: lastHeartbeat + late - turnMs + 500 };
}

/** Between two NoExecute taints of a zone, and between two heartbeats, ms. */
const turnMs = 10_000;

const isTainted = ({ spec }: { spec?: unknown }): boolean => JSON.stringify(spec ?? {}).includes('"NoExecute"');

/** A network that is said to come up was down from the start; undefined: nothing is said of it. */
export function networkBegins({ actions }: RecordedLife): RecordedAction | undefined {
  const first = actions.find(({ network }) => network !== undefined);
  return first?.network === 'up' ? { at: 0, do: 'runtime', node: first.node, network: 'down' } : undefined;
}

/** When the kubelet of the recording had begun, ms before its start: what it did every 10 s tells which moments are its own. */
export function kubeletBegins({ leaseTimeline, nodeTimeline = [] }: RecordedLife): number {
  if (leaseTimeline) return ((leaseTimeline.find(({ t }) => t > 0)?.t ?? 0) % 10) * 1_000 - 20_000;
  const conditions = (nodeTimeline[0]?.status?.conditions ?? []) as { lastHeartbeatTime: number }[];
  const heartbeat = conditions[0]?.lastHeartbeatTime;
  // It was a little before it wrote so, and is never so long ago that the node would not be there in time.
  return heartbeat === undefined ? -20_000 : ((heartbeat % 10) - 10) * 1_000 - 250;
}

/** By how much the start is put off, whole seconds in ms, for the passes of the node controller to come when they came in the recording: NoExecute taints tell. */
export function passShiftMs({ nodeTimeline = [] }: RecordedLife): number {
  const first = nodeTimeline.find((entry) => typeof entry.t === 'number' && isTainted(entry));
  return first === undefined ? 0 : ((5 - (Math.floor(first.t as number) % 5)) % 5) * 1_000;
}

/** Classes of priority that the pods name. */
export function priorityClassesOf({ pods }: RecordedLife): KubeObject[] {
  const classes = new Map<string, KubeObject>();
  for (const { manifest } of pods) {
    const { priorityClassName: name, priority: value } = (manifest.spec ?? {}) as { priorityClassName?: string; priority?: number };
    if (name !== undefined && !name.startsWith('system-')) classes.set(name, { metadata: { name }, value } as unknown as KubeObject);
  }
  return [...classes.values()];
}

export const mebibyte = 1_048_576;

/** Containers of the recordings start at once, but for what the runtime takes. */
const startupMs = 100;

export function kubeletOptionsOf({ leaseTimeline, node }: RecordedLife): KubeletOptions {
  const serializeImagePulls = node?.serializeImagePulls ?? false;
  return { startupMs, serializeImagePulls, eviction: evictionOf(node), ...(leaseTimeline ? { heartbeats: true } : {}) };
}

/** The recorded kubelets had no control group for all pods together. */
function evictionOf(node: Partial<RecordedNode> = {}): KubeletOptions['eviction'] {
  const { evictionHard = { 'memory.available': '100Mi' }, pressureTransitionSeconds } = node;
  return evictionConfigOf({
    enforceNodeAllocatable: [],
    evictionHard,
    evictionSoft: node.evictionSoft,
    evictionSoftGracePeriod: node.evictionSoftGrace,
    evictionMinimumReclaim: node.evictionMinReclaim,
    evictionMaxPodGracePeriod: node.evictionMaxPodGracePeriod,
    ...(pressureTransitionSeconds === undefined ? {} : { evictionPressureTransitionPeriod: `${pressureTransitionSeconds}s` }),
  });
}

/** What others than pods took on the node from the beginning; undefined: nothing was said. */
export function loadOf({ node }: RecordedLife): Fact | undefined {
  const { name = '', memoryUsedBySystemMi: memory, diskUsedBySystemMi: disk } = node ?? {};
  if (memory === undefined && disk === undefined) return undefined;
  return fact('NodeLoadChanged', { node: name, memoryBytes: (memory ?? 0) * mebibyte, diskBytes: (disk ?? 0) * mebibyte });
}
