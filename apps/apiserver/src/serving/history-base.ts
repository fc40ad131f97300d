import { AppendGrouper, ClusterState, restoreSnapshot, takeSnapshot } from '#libs/cluster-state';
import { HistoryForgottenError, type BoundedHistory } from '#libs/event-log';

/** The state that a bounded history begins from: what the log lets go of is folded here first. */
export class HistoryBase {
  private readonly state: ClusterState;
  private readonly grouper = new AppendGrouper();

  constructor(
    cluster: string,
    private readonly history: BoundedHistory,
  ) {
    this.state = new ClusterState(cluster);
    history.onForget((events) => {
      for (const event of events) {
        const append = this.grouper.add(event);
        if (append) this.state.apply(append);
      }
    });
  }

  /** A copy to fold the kept events onto; undefined while nothing has been let go of. @throws HistoryForgottenError before it. */
  from(position: number): ClusterState | undefined {
    const { forgotten } = this.history;
    if (forgotten === 0) return undefined;
    if (position < forgotten) throw new HistoryForgottenError(position, forgotten);
    return restoreSnapshot(this.state.cluster, takeSnapshot(this.state));
  }
}
