import type { SettledProgram, VersionedChange } from '#libs/cluster-state';
import type { GroupResource } from '#libs/kernel';
import type { ClusterRuntime } from '#libs/control-loop';
import { HistoryForgottenError } from '#libs/event-log';
import type { ConversionCall, Converted, KindCatalogue } from '#libs/kube-api';
import type { ClusterView, Look } from '../serving/cluster-view';
import type { LiveCluster } from '../serving/live-cluster';
import type { Moment } from './when';

/** The cluster as it was at a position: nothing comes after it. */
export class PastView implements ClusterView {
  private constructor(
    readonly position: number,
    readonly time: number,
    /** Those of then. */
    readonly kinds: KindCatalogue,
    private readonly live: LiveCluster,
  ) {}

  static async at({ position, time }: Moment, live: LiveCluster, runtime: ClusterRuntime): Promise<PastView> {
    const { history } = runtime.options.log;
    // What is still in memory of a time before is an accident: whether it answers would depend on the moment of asking.
    if (history && position < history.forgotten) throw new HistoryForgottenError(position, history.forgotten);
    const then = time ?? (await live.landmarks.at(position))?.time ?? runtime.clock.now();
    return new PastView(position, then, await live.kindsAt(position), live);
  }

  look(storage: GroupResource, version?: number): Promise<Look> {
    return this.live.look(storage, version ?? this.position);
  }

  /** Nothing of the past expires. */
  async keeps(): Promise<void> {}

  async *changes(storage: GroupResource, after: number, until: number): AsyncIterable<readonly VersionedChange[]> {
    for await (const changes of this.live.changes(storage, after, until)) yield changes.filter(({ position }) => position <= this.position);
  }

  /** As the webhook has answered to a write. */
  convert(call: ConversionCall): Promise<Converted> {
    return this.live.recorded.find(call);
  }

  feed(): undefined {
    return undefined;
  }

  /** Of a pod that is there to this day. */
  settledProgram(uid: string, container: string, restartCount: number): SettledProgram | undefined {
    return this.live.settledProgram(uid, container, restartCount);
  }
}
