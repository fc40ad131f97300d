import type { RecordedEvent } from '#libs/event-log';
import { framesOf, type TornAppendError } from './append-grouper';
import { AppendReader, type Append } from './append-reader';
import type { ClusterState, FoldedAppend } from './cluster-state';

export interface LogFoldOptions {
  /** Frames that end later are left out. */
  until?: number;
  /** Called before an append is folded. */
  beforeAppend?: (append: Append) => void;
  /** Called when a frame of it has been folded, and nothing behind it. */
  onFolded?: (frame: FoldedAppend) => void;
  /** Told of a part of an append, which is then left out; without it such a log is not folded at all. */
  onTorn?: (error: TornAppendError) => void;
}

/** The one way from the events of a log to a state: appends as AppendReader gives them are folded frame by frame. */
export class LogFold {
  private readonly reader: AppendReader;

  constructor(
    readonly state: ClusterState,
    private readonly options: LogFoldOptions = {},
  ) {
    this.reader = new AppendReader(options.onTorn);
  }

  /** Takes the next event. Gives what was folded by it; undefined before its append is whole. @throws TornAppendError */
  add(event: RecordedEvent): readonly FoldedAppend[] | undefined {
    const append = this.reader.add(event);
    return append && this.fold(append);
  }

  /** Takes an append that is whole. */
  fold(append: Append): readonly FoldedAppend[] {
    const { until = Infinity, beforeAppend, onFolded } = this.options;
    beforeAppend?.(append);
    const folded: FoldedAppend[] = [];
    for (const frame of framesOf(append)) {
      const result = (frame[frame.length - 1] as RecordedEvent).position <= until ? this.state.apply(frame, append[0]) : undefined;
      if (!result) continue;
      folded.push(result);
      onFolded?.(result);
    }
    return folded;
  }

  /** Whether the last append has come to its end. */
  get isWhole(): boolean {
    return this.reader.isWhole;
  }

  /** The log has come to its end. @throws TornAppendError when its last append has not */
  end(): void {
    this.reader.end();
  }
}
