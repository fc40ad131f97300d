import { relistMs, resyncMs } from './back-off';
import { allRuns, type ContainerRun, type PodRuntime } from './container-run';

/** What happens in so short a time is found in one relist, ms. */
const sameRelistMs = 500;

interface Sync {
  at: number;
  /** The next one that nothing calls for is counted from here. */
  isCounted: boolean;
}

/**
 * The syncs of a pod from the end of a container's run on, as long as the container waits for its next run (upstream pod workers): one
 * with whatever happens to any container of the pod, and, since each of them fails, one a while after the one before. Ms since the epoch.
 */
export class PodSyncs {
  private readonly syncs: readonly Sync[];

  constructor(run: ContainerRun, runtime: PodRuntime) {
    const { finishedAt = 0 } = run.exit ?? {};
    const calls: Sync[] = [];
    // What the kubelet has ended itself is news to the relist after that.
    if (run.hookFailed) calls.push({ at: finishedAt + relistMs, isCounted: true });
    else if (run.killed) calls.push({ at: finishedAt + relistMs, isCounted: false });
    if (runtime.observedAt !== undefined) calls.push({ at: runtime.observedAt, isCounted: true });
    for (const each of allRuns(runtime)) if (each !== run) calls.push(...callsOf(each));
    const syncs: Sync[] = [{ at: finishedAt, isCounted: true }];
    for (const call of calls.sort((a, b) => a.at - b.at))
      if (call.at > finishedAt && call.at - (syncs[syncs.length - 1] as Sync).at > sameRelistMs) syncs.push(call);
    this.syncs = syncs;
  }

  /** How many there were by a moment. */
  countBy(at: number): number {
    let count = 0;
    let from = Number.POSITIVE_INFINITY;
    for (const sync of this.syncs) {
      if (sync.at > at) break;
      count += 1;
      if (!sync.isCounted) continue;
      if (from < sync.at) count += Math.floor((sync.at - 1 - from) / resyncMs);
      from = sync.at;
    }
    return from <= at ? count + Math.floor((at - from) / resyncMs) : count;
  }

  /** The first one after a moment. */
  after(at: number): number {
    let from = at;
    for (const sync of this.syncs) {
      if (sync.at > at) return Math.min(sync.at, nextOf(from, at));
      if (sync.isCounted) from = sync.at;
    }
    return nextOf(from, at);
  }
}

function nextOf(from: number, after: number): number {
  return from + (Math.floor((after - from) / resyncMs) + 1) * resyncMs;
}

/** A start is told of by the sync that makes it, and by the relist after that. */
function callsOf({ startedAt, exit }: ContainerRun): Sync[] {
  const calls: Sync[] = [];
  for (const at of [startedAt, exit?.startedAt])
    if (at !== undefined) calls.push({ at, isCounted: true }, { at: at + relistMs, isCounted: true });
  if (exit?.finishedAt !== undefined) calls.push({ at: exit.finishedAt, isCounted: true });
  return calls;
}
