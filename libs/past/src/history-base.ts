import { ClusterState, LogFold, restoreSnapshot, takeSnapshot } from '#libs/cluster-state';
import { HistoryForgottenError, type BoundedHistory } from '#libs/event-log';

/** The state that a bounded history begins from: what the log lets go of is folded here first. */
export class HistoryBase {
  private readonly state: ClusterState;

  constructor(
    cluster: string,
    private readonly history: BoundedHistory,
  ) {
    this.state = new ClusterState(cluster);
    const fold = new LogFold(this.state);
    history.onForget((events) => {
      for (const event of events) fold.add(event);
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
