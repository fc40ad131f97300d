import { foldLog, type ClusterState, type ResourceTable, type VersionedChange } from '#libs/cluster-state';
import type { ClusterRuntime } from '#libs/control-loop';
import type { GroupResource } from '#libs/kernel';
import { HistoryBase } from './history-base';
import { PastEvents } from './event-service';

/** States of the past kept for the next question about them. */
const statesMax = 4;
/** Readings of the whole log under way at once; more wait. */
const readingsMax = 2;

/** A moment of the past, whole. */
export class PastState {
  constructor(
    /** Version that was asked for; the state is that of the last whole append up to there. */
    readonly position: number,
    private readonly state: ClusterState,
    private readonly events: PastEvents,
  ) {}

  get time(): number {
    return this.state.time;
  }

  table(storage: GroupResource): ResourceTable {
    return storage === 'events' ? this.events.reports.table : this.state.table(storage);
  }
}

/** Answers from the log what memory has let go of. */
export class LogReader {
  private readonly states = new Map<number, Promise<PastState>>();
  private readonly turns: (() => void)[] = [];
  private reading = 0;

  private readonly base: HistoryBase | undefined;

  constructor(private readonly runtime: ClusterRuntime) {
    const { cluster, log } = runtime.options;
    if (log.history) this.base = new HistoryBase(cluster, log.history);
  }

  /** The state at a position; the last few are remembered. @throws HistoryForgottenError */
  stateAt(position: number): Promise<PastState> {
    const known = this.states.get(position);
    this.states.delete(position);
    const state = known ?? this.inTurn(() => this.readState(position));
    this.states.set(position, state);
    if (this.states.size > statesMax) this.states.delete(this.states.keys().next().value as number);
    state.catch(() => this.states.delete(position));
    return state;
  }

  /** Changes of a resource later than `after`, up to and with `until`. @throws HistoryForgottenError */
  changes(storage: GroupResource, after: number, until: number): Promise<VersionedChange[]> {
    return this.inTurn(async () => {
      const found: VersionedChange[] = [];
      const events = storage === 'events' ? new PastEvents(this.runtime.state) : undefined;
      await foldLog(this.runtime.options.log, this.runtime.options.cluster, {
        from: this.base?.from(after),
        until,
        onAppend: (append, state) => {
          if (events) {
            for (const change of events.apply(append, state)) if (change.position > after) found.push(change);
            return;
          }
          const { change, position } = append;
          if (position <= after || change?.resource !== storage) return;
          found.push({ type: change.type, position, key: change.key, before: change.before, object: change.object });
        },
      });
      return found;
    });
  }

  private async readState(position: number): Promise<PastState> {
    const events = new PastEvents(this.runtime.state);
    const state = await foldLog(this.runtime.options.log, this.runtime.options.cluster, {
      from: this.base?.from(position),
      until: position,
      onAppend: (append, cluster) => void events.apply(append, cluster),
    });
    events.reports.expire(state.time, position);
    return new PastState(position, state, events);
  }

  private async inTurn<T>(read: () => Promise<T>): Promise<T> {
    if (this.reading >= readingsMax) await new Promise<void>((resolve) => this.turns.push(resolve));
    this.reading++;
    try {
      return await read();
    } finally {
      this.reading--;
      this.turns.shift()?.();
    }
  }
}
