import type { QueuedPull } from '#libs/cluster-state';
import { fact, type Fact } from '#libs/events';
import type { Passage } from '../passage';

/** When a pull has its turn. Ms. */
export interface PullTurn {
  startsAt: number;
  /** It is to be put into the queue, before others ask. */
  isNew?: boolean;
}

/**
 * The pulls of a node, of which its kubelet lets so many go on at once, in the order in which they are asked for (upstream
 * `serialImagePuller`, `parallelImagePuller`). The log says when each begins; a pull that is a part of a container's start and finds
 * nobody before it takes no turn.
 */
export class PullQueue {
  private readonly limit: number | undefined;
  private readonly waited: readonly { askedAt: number; startsAt: number }[];
  private readonly pulls: readonly QueuedPull[];
  private readonly uid: string;
  private readonly now: number;

  constructor(
    private readonly container: string,
    { cluster, node, pod, marks, defaults, now, assumedPulls }: Passage,
  ) {
    const { name } = node.metadata;
    const { nodes } = cluster.decisions;
    const { kubeletStartedAt = 0 } = nodes.of(name);
    this.limit = defaults.pullsAtOnce;
    this.waited = marks.pulls?.[container] ?? [];
    const shown = nodes.pulls.get(name) ?? [];
    const unshown = assumedPulls.filter((pull) => !shown.some((each) => isSame(each, pull)));
    this.pulls = [...shown, ...unshown].filter(({ askedAt }) => askedAt >= kubeletStartedAt);
    this.uid = pod.metadata.uid;
    this.now = now;
  }

  /** All that turns come from. */
  get key(): unknown {
    return this.limit === undefined ? undefined : [this.waited, this.pulls];
  }

  /** Of a pull that is asked for at a moment and takes so long. */
  turnOf(askedAt: number, tookMs: number, isWithinStart: boolean): PullTurn {
    if (this.limit === undefined) return { startsAt: askedAt };
    const known = this.waited.find((each) => each.askedAt === askedAt) ?? this.pulls.find((each) => this.isOwn(each, askedAt));
    if (known) return { startsAt: known.startsAt };
    // Nobody looked while it went on.
    if (askedAt + tookMs <= this.now && tookMs > 0) return { startsAt: askedAt };
    const startsAt = this.freeFrom(askedAt, this.limit);
    return { startsAt, isNew: startsAt > askedAt || !isWithinStart };
  }

  private isOwn({ uid, container, askedAt }: QueuedPull, at: number): boolean {
    return askedAt === at && uid === this.uid && container === this.container;
  }

  /** What the pod pulls for its other containers does not count: a sync goes through them one by one. */
  private freeFrom(at: number, limit: number): number {
    const ends = this.pulls.flatMap(({ uid, endsAt }) => (endsAt > at && uid !== this.uid ? [endsAt] : []));
    return ends.sort((a, b) => b - a)[limit - 1] ?? at;
  }
}

function isSame(one: QueuedPull, other: QueuedPull): boolean {
  return one.uid === other.uid && one.container === other.container && one.askedAt === other.askedAt;
}

/** A pull that takes its turn, for the log. */
export function pullQueued(
  container: string,
  image: string,
  { askedAt, startsAt, tookMs }: { askedAt: number; startsAt: number; tookMs: number },
  { node, pod }: Passage,
): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  return fact('ImagePullQueued', { node: node.metadata.name, namespace, pod: name, uid, container, image, askedAt, startsAt, tookMs });
}

/** Pulls that a decision puts into the queue of its node. */
export function pullsOf(records: readonly Fact[] = []): { node: string; pull: QueuedPull }[] {
  return records.flatMap(({ type, data }) => {
    if (type !== 'ImagePullQueued') return [];
    const { node, uid, container, askedAt, startsAt, tookMs } = data as unknown as QueuedPull & { node: string; tookMs: number };
    return [{ node, pull: { uid, container, askedAt, startsAt, endsAt: startsAt + tookMs } }];
  });
}
