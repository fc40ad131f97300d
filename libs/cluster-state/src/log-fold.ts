import type { RecordedEvent } from '#libs/event-log';
import { upcast, versionOf } from '#libs/events';
import { AppendGrouper, framesOf, TornAppendError } from './append-grouper';
import type { ClusterState, FoldedAppend } from './cluster-state';

export interface LogFoldOptions {
  /** Frames that end later are left out. */
  until?: number;
  /** Called before an append is folded. */
  beforeAppend?: (append: readonly RecordedEvent[]) => void;
  /** Told of a part of an append, which is then left out; without it such a log is not folded at all. */
  onTorn?: (error: TornAppendError) => void;
}

/**
 * The one way from the events of a log to a state: an older version of an event is read as the newest one, events are put together
 * into whole appends, and these are folded frame by frame.
 */
export class LogFold {
  private readonly grouper = new AppendGrouper();

  constructor(
    readonly state: ClusterState,
    private readonly options: LogFoldOptions = {},
  ) {}

  /** Takes the next event. Gives what was folded by it; undefined before its append is whole. @throws TornAppendError */
  add(event: RecordedEvent): readonly FoldedAppend[] | undefined {
    const append = this.appendWith(current(event));
    if (!append) return undefined;
    const { until = Infinity, beforeAppend } = this.options;
    beforeAppend?.(append);
    const folded: FoldedAppend[] = [];
    for (const frame of framesOf(append)) {
      const result = (frame[frame.length - 1] as RecordedEvent).position <= until ? this.state.apply(frame) : undefined;
      if (result) folded.push(result);
    }
    return folded;
  }

  private appendWith(event: RecordedEvent): readonly RecordedEvent[] | undefined {
    const { onTorn } = this.options;
    try {
      return this.grouper.add(event);
    } catch (error) {
      if (!onTorn || !(error instanceof TornAppendError)) throw error;
      onTorn(error);
      return this.grouper.beginAnew(event);
    }
  }

  /** Whether the last append has come to its end. */
  get isWhole(): boolean {
    return this.grouper.begun.length === 0;
  }

  /** The log has come to its end. @throws TornAppendError when its last append has not */
  end(): void {
    try {
      this.grouper.end();
    } catch (error) {
      if (!this.options.onTorn) throw error;
      this.options.onTorn(error as TornAppendError);
    }
  }
}

/** The event as the newest version of its type has it. */
export function current(event: RecordedEvent): RecordedEvent {
  const { v } = event.metadata;
  const version = typeof v === 'number' ? v : versionOf(event.type);
  return version === versionOf(event.type) ? event : { ...event, data: upcast(event.type, version, event.data) };
}
