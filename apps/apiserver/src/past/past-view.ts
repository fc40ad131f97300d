import { clusterPrefix } from '#libs/events';
import type { GroupResource } from '#libs/kernel';
import type { ClusterRuntime } from '#libs/control-loop';
import type { Changes, ClusterView, Look } from '../serving/cluster-view';
import type { LiveCluster } from '../serving/live-cluster';

/** The cluster as it was at a position: nothing comes after it. */
export class PastView implements ClusterView {
  private constructor(
    readonly position: number,
    readonly time: number,
    private readonly live: LiveCluster,
  ) {}

  static async at(position: number, live: LiveCluster, runtime: ClusterRuntime): Promise<PastView> {
    return new PastView(position, await timeAt(position, runtime), live);
  }

  look(storage: GroupResource, version?: number): Promise<Look> {
    return this.live.look(storage, version ?? this.position);
  }

  async changesAfter(storage: GroupResource, version: number): Promise<Changes> {
    const { changes } = await this.live.changesAfter(storage, version);
    return { changes: changes.filter(({ position }) => position <= this.position), until: this.position };
  }

  feed(): undefined {
    return undefined;
  }
}

/** Cluster time of the last event up to a position, ms. */
async function timeAt(position: number, { options, clock }: ClusterRuntime): Promise<number> {
  const filter = { streamPrefixes: [clusterPrefix(options.cluster)] };
  for await (const page of options.log.readAll({ direction: 'backwards', from: position + 1, limit: 1, filter })) {
    const [event] = page;
    if (event) return event.metadata.time as number;
  }
  return clock.now();
}
