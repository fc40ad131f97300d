import type { RecordedEvent } from '#libs/event-log';
import { parseStream, type StreamSubject } from '#libs/events';
import { objectKey, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { AdmissionConfiguration, KindCatalogue } from '#libs/kube-api';
import { kindsAfter } from './custom-kinds';
import { DecisionRecords } from './decision-records';
import { restoredObject } from './field-ownership';
import { foldFrame } from './fold/fold-frame';
import { ClusterIndices } from './indices';
import { LeftOutError, type LeftOut } from './left-out';
import { isMakingRoom } from './making-room';
import { decidedAt } from './pod-marks';
import { isStaticPod } from './static-pods';
import { RecentIds } from './recent-ids';
import { ResourceTable } from './resource-table';
import { StreamHeads, type StreamHead } from './stream-heads';

/** What one frame of an append changed, as a watch shows it. */
export interface ObjectChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: GroupResource;
  namespace: string;
  name: string;
  key: ObjectKey;
  before: KubeObject | undefined;
  /** On DELETED: the last state, at the version of the deletion. */
  object: KubeObject;
}

/** One frame of an append, folded. */
export interface FoldedAppend {
  /** Position of the frame's last event: the version of what it changed. */
  position: number;
  stream: string;
  events: readonly RecordedEvent[];
  /** Cluster time, ms. */
  time: number;
  /** Absent for decision streams. */
  change?: ObjectChange;
}

/** The whole cluster at one log position. Objects in it are immutable; the tables change with every frame folded. */
export class ClusterState {
  /** Last position folded; 0 = nothing yet. */
  position = 0;
  /** Id of the event at that position. */
  lastEventId: string | undefined;
  /** Cluster time of the last append folded, ms since the epoch. */
  time = 0;
  readonly indices = new ClusterIndices();
  readonly decisions = new DecisionRecords();
  /** The kinds of this cluster, where it has or had others than its release (see `kindsOf` of kube-api): they follow its definitions. */
  kinds: KindCatalogue | undefined;
  private readonly tables = new Map<GroupResource, ResourceTable>();
  readonly heads = new StreamHeads();
  /** For whoever only tells what happened and neither shows objects nor writes: who owns which fields is not kept, and with it no earlier versions. */
  leavesOutOwners = false;
  readonly recentIds = new RecentIds();
  private readonly subjects = new Map<string, StreamSubject | undefined>();

  constructor(
    readonly cluster: string,
    /** Absent: nothing. Reading a resource that is left out throws LeftOutError. */
    public leftOut?: LeftOut,
    /** Tables that have something in them from the beginning; absent: all begin empty. */
    private readonly tableOf?: (resource: GroupResource) => ResourceTable,
  ) {}

  table(resource: GroupResource): ResourceTable {
    this.assertFolded(resource);
    let table = this.tables.get(resource);
    if (!table) this.tables.set(resource, (table = this.tableOf?.(resource) ?? new ResourceTable(resource)));
    return table;
  }

  /** Those that have objects, in the order of their names: a table that was only asked for makes no difference. */
  resources(): Iterable<ResourceTable> {
    const filled = [...this.tables.values()].filter((table) => table.objects.size > 0);
    return filled.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined {
    this.assertFolded(resource);
    return this.known(resource)?.get(objectKey(namespace, name));
  }

  byKey(resource: GroupResource, key: ObjectKey): KubeObject | undefined {
    this.assertFolded(resource);
    return this.known(resource)?.get(key);
  }

  list(resource: GroupResource, namespace?: string): Iterable<KubeObject> {
    return this.table(resource).list(namespace);
  }

  /** What the operator has set of built-in admission; undefined: nothing. */
  get admission(): AdmissionConfiguration | undefined {
    return this.decisions.admission;
  }

  head(stream: string): StreamHead | undefined {
    return this.heads.get(stream);
  }

  /**
   * Folds the events of one frame of an append (same stream, in order). Gives undefined for what is not this cluster's or was folded before.
   * @param first of the append, which says of it as a whole what there is to say
   */
  apply(events: readonly RecordedEvent[], first = events[0]): FoldedAppend | undefined {
    const last = events[events.length - 1];
    if (!last || last.position <= this.position) return undefined;
    this.position = last.position;
    this.lastEventId = last.id;
    const time = last.metadata.time as number;
    if (time > this.time) this.time = time;
    const subject = this.subjectOf(last.stream);
    if (!subject) return undefined;
    // A writer knows where its own stream of decisions ends; nobody else asks.
    const isOwnStream = subject.kind === 'decision' && subject.writer !== undefined;
    if (!isOwnStream) this.heads.set(last.stream, { revision: last.revision, digest: last.metadata.digest as string });
    // An append whose answer was lost is sent again; where no revision was expected, the store may take it twice.
    if (subject.kind === 'decision' && !isOwnStream && this.recentIds.seenBefore(last.stream, last.id)) return undefined;
    const folded: FoldedAppend = { position: last.position, stream: last.stream, events, time };
    if (subject.kind === 'decision') {
      const at = decidedAt(first as RecordedEvent);
      for (const event of events) if (!this.isOfGonePod(event)) this.foldDecision(event, time, at);
    } else folded.change = this.applyToObject(subject, events, first as RecordedEvent);
    return folded;
  }

  /** Puts in an object that no event has brought. */
  restore(resource: GroupResource, key: ObjectKey, object: KubeObject): void {
    const restored = restoredObject(object);
    this.kinds = kindsAfter(this.kinds, resource, undefined, restored);
    this.table(resource).set(key, restored);
    this.indices.update(resource, key, undefined, object);
  }

  private applyToObject(
    subject: StreamSubject & { kind: 'object' },
    events: readonly RecordedEvent[],
    first: RecordedEvent,
  ): ObjectChange | undefined {
    const { resource, key, namespace, name } = subject;
    const table = this.table(resource);
    const before = table.get(key);
    const after = foldFrame({ resource, kinds: this.kinds, leavesOutOwners: this.leavesOutOwners }, before, events, first);
    if (after === undefined && before === undefined) return undefined;
    const { position } = events[events.length - 1] as RecordedEvent;
    if (after) {
      table.set(key, after);
    } else {
      table.delete(key);
      this.heads.bury((events[0] as RecordedEvent).stream);
    }
    this.indices.update(resource, key, before, after);
    this.kinds = kindsAfter(this.kinds, resource, before, after);
    if (resource === 'pods') this.foldPodRecords(events, before, after, first);
    if (resource === 'nodes' && after === undefined) this.nodeGone(name);
    if (resource === 'resourcequotas' && after) this.decisions.quotaCharges.charged(after, events);
    if (after && this.decisions.quotaCharges.size > 0) this.decisions.quotaCharges.written(resource, key, before, after);
    if (after) return { type: before ? 'MODIFIED' : 'ADDED', resource, namespace, name, key, before, object: after };
    const gone = before as KubeObject;
    const object = { ...gone, metadata: { ...gone.metadata, resourceVersion: String(position) } };
    return { type: 'DELETED', resource, namespace, name, key, before, object };
  }

  private foldDecision(event: RecordedEvent, time: number, decided: number): void {
    // Two of its controllers may have ordered at once: the kubelet ends one pod at a time.
    if (event.type === 'PodPreemptedByKubelet' && isMakingRoom(this, event.data.node as string)) return;
    this.decisions.fold(event, decided);
    if (event.type === 'StaticPodRejected') this.decisions.staticPods.rejected(event);
    if (event.type === 'StaticPodFileChanged') {
      this.decisions.staticPods.fold(event, time, (key) => this.known('pods')?.get(key) !== undefined);
    }
    if (event.type !== 'RuntimeStateChanged' && event.type !== 'KubeletRestarted') return;
    const { node, killed } = event.data as { node: string; killed?: string[] };
    const pods = this.indices.podsOnNode(node).values();
    if (event.type === 'KubeletRestarted') this.decisions.kubeletRestarted(pods);
    else if (killed) this.decisions.nodes.sandboxesKilled(killed, pods, time);
  }

  /** What is settled of a pod's program goes with the pod; it may come a moment later. */
  private isOfGonePod({ type, data }: RecordedEvent): boolean {
    if (type !== 'ProgramSettled') return false;
    const key = objectKey(data.namespace as string, data.pod as string);
    return this.known('pods')?.get(key)?.metadata.uid !== data.uid;
  }

  private nodeGone(name: string): void {
    this.decisions.nodes.nodeGone(name);
    this.decisions.staticPods.nodeGone(name);
  }

  private foldPodRecords(
    events: readonly RecordedEvent[],
    before: KubeObject | undefined,
    after: KubeObject | undefined,
    first: RecordedEvent,
  ): void {
    const { staticPods, podMarks } = this.decisions;
    if (before && after === undefined && isStaticPod(before)) {
      staticPods.mirrorGone(before, podMarks.get(before.metadata.uid), first.metadata.time as number, first.metadata.actor !== 'kubelet');
    }
    if (after?.status?.startTime !== undefined && before?.status?.startTime === undefined && isStaticPod(after)) {
      const lost = staticPods.mirrorTaken(after);
      if (lost?.marks) podMarks.set(after.metadata.uid, lost.marks);
    }
    if (before && before.metadata.uid !== after?.metadata.uid) {
      this.decisions.unmark(before.metadata.uid, decidedAt(first));
      this.decisions.nodes.podTaken(before);
    }
    if (after?.spec?.nodeName) this.decisions.mark(before, after, events, decidedAt(first));
    for (const event of events) {
      if (madeOfImage.has(event.type) && after) this.noteImage(after, event);
      if (event.type === 'PodPreempted' && before) this.decisions.victimBegun(event.data.preemptorUid as string, before.metadata.uid);
    }
    if (before && (after === undefined || (after.spec?.nodeName && !before.spec?.nodeName))) this.decisions.podGone(before.metadata.uid);
  }

  private noteImage({ spec }: KubeObject, { data, metadata }: RecordedEvent): void {
    const { image, imageID } = data as { image: string; imageID?: string };
    if (imageID !== undefined) this.decisions.nodes.imageUsed(spec?.nodeName as string, imageID, image, metadata.time as number);
  }

  private known(resource: GroupResource): ResourceTable | undefined {
    return this.tableOf ? this.table(resource) : this.tables.get(resource);
  }

  private assertFolded(resource: GroupResource): void {
    if (this.leftOut?.resources.includes(resource)) throw new LeftOutError(resource);
  }

  private subjectOf(stream: string): StreamSubject | undefined {
    const known = this.subjects.get(stream);
    if (known || this.subjects.has(stream)) return known;
    const subject = parseStream(this.cluster, stream);
    if (this.subjects.size >= subjectsMax) this.subjects.clear();
    this.subjects.set(stream, subject);
    return subject;
  }
}

/** What says that a container was made, and of which image. */
const madeOfImage: ReadonlySet<string> = new Set(['ContainerStarted', 'ContainerStartFailed']);

/** Parsed stream names kept; beyond it they are parsed again. */
const subjectsMax = 10_000;
