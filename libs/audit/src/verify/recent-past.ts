import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { AppendCheck } from './check';
import { firstAfter } from './first-after';
import { objectKey, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { StateView } from '#libs/kube-api';

interface Change {
  position: number;
  resource: GroupResource;
  key: ObjectKey;
  before: KubeObject | undefined;
}

/** Frames looked back over at most: a writer prepares on what it has folded, and is never further behind. */
const framesMax = 65_536;
/** What is too old is let go of when there is so much of it. */
const framesStep = 1_024;

/** The cluster at positions a little while ago: an append was prepared on an earlier state than the one it is folded onto. */
export class RecentPast implements AppendCheck {
  readonly letter = 'R';
  private changes: Change[] = [];
  /** Everything behind this position is here. */
  private since = 0;
  private frames = 0;

  /** @param lag positions that are looked back over */
  constructor(private readonly lag = Infinity) {}

  folded({ position, change }: FoldedAppend): void {
    if (change) this.changes.push({ position, resource: change.resource, key: change.key, before: change.before });
    if (++this.frames % framesStep === 0) this.forget(position - this.lag);
  }

  private forget(position: number): void {
    const old = Math.max(firstAfter(this.changes, position), this.changes.length - framesMax);
    const last = this.changes[old - 1];
    if (last) this.since = last.position;
    this.changes = this.changes.slice(old);
  }

  /** Whether an object has changed behind the position. */
  hasChanged(position: number, resource: GroupResource, key: ObjectKey): boolean {
    for (let i = firstAfter(this.changes, position); i < this.changes.length; i++) {
      const change = this.changes[i] as Change;
      if (change.key === key && change.resource === resource) return true;
    }
    return false;
  }

  /** The cluster at a position; undefined when that is too long ago. */
  at(position: number, now: ClusterState): StateView | undefined {
    if (position < this.since) return undefined;
    const first = firstAfter(this.changes, position);
    return first === this.changes.length ? now : new EarlierView(now, position, this.changes.slice(first));
  }
}

/** The cluster without its latest changes. */
class EarlierView implements StateView {
  /** As they were, by resource and key. */
  private readonly before = new Map<GroupResource, Map<ObjectKey, KubeObject | undefined>>();

  constructor(
    private readonly now: ClusterState,
    readonly position: number,
    changes: readonly Change[],
  ) {
    for (const { resource, key, before } of changes) {
      let objects = this.before.get(resource);
      if (!objects) this.before.set(resource, (objects = new Map()));
      if (!objects.has(key)) objects.set(key, before);
    }
  }

  get cluster(): string {
    return this.now.cluster;
  }

  get kinds(): StateView['kinds'] {
    return this.now.kinds;
  }

  /** It is told before whoever starts with it writes anything. */
  get admission(): StateView['admission'] {
    return this.now.admission;
  }

  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.byKey(resource, objectKey(namespace, name));
  }

  byKey(resource: GroupResource, key: ObjectKey): KubeObject | undefined {
    const objects = this.before.get(resource);
    return objects?.has(key) ? objects.get(key) : this.now.byKey(resource, key);
  }

  *list(resource: GroupResource, namespace?: string): Iterable<KubeObject> {
    const objects = this.before.get(resource);
    for (const object of this.now.list(resource, namespace)) {
      if (!objects?.has(objectKey(object.metadata.namespace, object.metadata.name))) yield object;
    }
    for (const object of objects?.values() ?? []) {
      if (object && (namespace === undefined || object.metadata.namespace === namespace)) yield object;
    }
  }

  /** Nobody but the writer itself has written to the stream in between: the store held it to that. */
  head(stream: string): { revision: number; digest: string } | undefined {
    return this.now.head(stream);
  }
}
