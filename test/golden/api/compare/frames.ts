// The frames of one watch against the recording: order, content, and after which step they came.
import { agrees, compareBody, compareUnordered, compareValue } from './values';
import type { CompareContext } from './context';
import { report } from './context';
import { asksForBookmarks, comparesStatesOnly, frameTolerance, isBookmark, isCollected, isPlainBookmark } from './left-open';
import { show } from './match';
import { templateOf } from './placeholders';
import type { Header, RecordedFrame, RecordedRequest } from '../recording';

export interface ArrivedFrame {
  /** The last step that was sent when it came. */
  afterStep: number;
  frame: unknown;
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const nameOf = (object: unknown): string => {
  if (!isObject(object)) return '';
  if (Array.isArray(object['rows'])) return nameOf(isObject(object['rows'][0]) ? object['rows'][0]['object'] : undefined);
  const metadata = object['metadata'];
  return isObject(metadata) ? `${String(object['kind'])} ${String(metadata['namespace'] ?? '')}/${String(metadata['name'] ?? '')}` : '';
};

/** What a frame is about, to keep frames beside their counterparts when one is missing. */
export function frameTitle(frame: unknown): string {
  if (!isObject(frame)) return show(frame);
  const type = typeof frame['type'] === 'string' ? frame['type'] : String(frame['kind'] ?? 'frame');
  return `${type} ${nameOf(frame['object'])}`.trim();
}

/** Whether a frame of ours is about what the recorded one is about; names may hold placeholders. */
const sameTitle = (theirs: string, ours: string): boolean =>
  theirs === ours || (theirs.includes('<') && templateOf(theirs).whole.test(ours));

/** Numbers of `<rv:N>` that belong to neighbouring frames of collected objects: they keep no order among each other. */
export function collectedVersions(header: Header, frames: readonly RecordedFrame[]): Map<number, number> {
  const groups = new Map<number, number>();
  let group = 0;
  for (const recorded of frames) {
    if (!isCollected(header, recorded)) {
      group += 1;
      continue;
    }
    const number = /"resourceVersion":"<rv:(\d+)>"/.exec(JSON.stringify(recorded.frame))?.[1];
    if (number !== undefined) groups.set(Number(number), group);
  }
  return groups;
}

/** Compares frames as they come, as long as they come in step with the recording, and the rest at the end. */
export class FrameComparison {
  private readonly context: CompareContext;
  private readonly expected: readonly RecordedFrame[];
  private readonly bookmarks: readonly RecordedFrame[];
  private readonly request: RecordedRequest;
  private readonly arrived: ArrivedFrame[] = [];
  private compared = 0;
  private arrivedBookmarks = 0;

  constructor(context: CompareContext, request: RecordedRequest, recorded: readonly RecordedFrame[]) {
    this.context = context;
    this.request = request;
    this.expected = recorded.filter(({ frame }) => !isPlainBookmark(frame));
    this.bookmarks = recorded.filter(({ frame }) => isPlainBookmark(frame));
  }

  /** How many frames should have come once this step is done. */
  dueAfter(step: number): number {
    return this.expected.filter(({ afterStep }) => afterStep <= step).length;
  }

  get count(): number {
    return this.arrived.length;
  }

  take(arrived: ArrivedFrame): void {
    if (isPlainBookmark(arrived.frame)) this.bookmark(arrived);
    else this.arrived.push(arrived);
  }

  /** Compares what came in step; used while the session runs, since later requests may need what frames tell. */
  advance(): void {
    if (comparesStatesOnly(this.context.header)) return;
    while (this.compared < this.arrived.length) {
      const [theirs, ours] = [this.expected[this.compared], this.arrived[this.compared]];
      if (theirs === undefined || ours === undefined || isCollected(this.context.header, theirs)) return;
      if (!sameTitle(frameTitle(theirs.frame), frameTitle(ours.frame))) return;
      this.pair(theirs, ours, this.compared);
      this.compared += 1;
    }
  }

  /** Compares everything that is left. */
  finish(): void {
    this.advance();
    const theirs = this.expected.slice(this.compared);
    const ours = this.arrived.slice(this.compared);
    if (comparesStatesOnly(this.context.header)) this.states(theirs, ours);
    else this.rest(theirs, ours);
  }

  private pair(theirs: RecordedFrame, ours: ArrivedFrame, index: number): void {
    const path = this.pathOf(theirs, index);
    if (isBookmark(theirs.frame)) {
      compareValue({ ...this.context, isListVersion: () => true }, theirs.frame, ours.frame, path);
    } else compareBody(this.context, theirs.frame, ours.frame, path, false);
    this.moment(theirs, ours, index);
  }

  private pathOf(recorded: RecordedFrame, index: number): string {
    return `frames[${index}: ${frameTitle(recorded.frame)}]`;
  }

  private moment(theirs: RecordedFrame, ours: ArrivedFrame, index: number): void {
    if (Math.abs(theirs.afterStep - ours.afterStep) > frameTolerance) {
      report(this.context, `${this.pathOf(theirs, index)}.afterStep`, `expected ${theirs.afterStep}, got ${ours.afterStep}`);
    }
  }

  private bookmark(arrived: ArrivedFrame): void {
    this.arrivedBookmarks += 1;
    const path = `bookmarks[${this.arrivedBookmarks - 1}]`;
    if (!asksForBookmarks(this.request.query ?? '')) {
      return report(this.context, path, `unexpected, the request asked for none: ${show(arrived.frame)}`);
    }
    const like = this.bookmarks[0];
    if (like === undefined) return;
    // Its moment is open, hence its version too.
    const pattern = JSON.parse(JSON.stringify(like.frame).replace(/<rv:\d+>/g, '<rv>')) as unknown;
    compareValue(this.context, pattern, arrived.frame, path);
  }

  /** In order, except that neighbours which the garbage collector deleted may change places. */
  private rest(theirs: readonly RecordedFrame[], ours: readonly ArrivedFrame[]): void {
    const { header } = this.context;
    const arranged = [...ours];
    for (let from = 0; from < theirs.length;) {
      let to = from;
      while (to < theirs.length && isCollected(header, theirs[to] as RecordedFrame)) to += 1;
      if (to - from > 1) arrange(theirs.slice(from, to), arranged, from, to);
      from = Math.max(to, from + 1);
    }
    for (const [theirAt, ourAt] of align(theirs, arranged)) {
      const recorded = theirAt === undefined ? undefined : theirs[theirAt];
      const arrived = ourAt === undefined ? undefined : arranged[ourAt];
      const index = this.compared + (theirAt ?? ourAt ?? 0);
      if (recorded !== undefined && arrived !== undefined) this.pair(recorded, arrived, index);
      else if (recorded !== undefined)
        report(this.context, this.pathOf(recorded, index), `missing, expected after step ${recorded.afterStep}`);
      else if (arrived !== undefined) {
        report(
          this.context,
          `frames[${index}]`,
          `unexpected ${frameTitle(arrived.frame)} after step ${arrived.afterStep}: ${show(arrived.frame)}`,
        );
      }
    }
  }

  /** Every state that was recorded has to appear, and no other. */
  private states(theirs: readonly RecordedFrame[], ours: readonly ArrivedFrame[]): void {
    const seen = new Set<number>();
    const missing: unknown[] = [];
    for (const recorded of theirs) {
      const matches = [...ours.keys()].filter((at) => agrees(this.context, recorded.frame, ours[at]?.frame, ''));
      if (matches.length === 0) missing.push(recorded.frame);
      for (const at of matches) seen.add(at);
    }
    const others = ours.filter((_, at) => !seen.has(at)).map(({ frame }) => frame);
    compareUnordered(this.context, missing, others, 'states');
  }
}

/** Puts the frames of a group of collected objects into the recorded order. */
function arrange(group: readonly RecordedFrame[], arranged: ArrivedFrame[], from: number, to: number): void {
  const present = arranged.slice(from, to);
  const ordered = group.map(({ frame }) => {
    const at = present.findIndex((candidate) => sameTitle(frameTitle(frame), frameTitle(candidate.frame)));
    return at < 0 ? undefined : present.splice(at, 1)[0];
  });
  arranged.splice(from, to - from, ...ordered.filter((frame) => frame !== undefined), ...present);
}

type Alignment = [number | undefined, number | undefined];

/** Longest common subsequence by title, so that one missing frame is reported as one. */
function align(theirs: readonly RecordedFrame[], ours: readonly ArrivedFrame[]): Alignment[] {
  const a = theirs.map(({ frame }) => frameTitle(frame));
  const b = ours.map(({ frame }) => frameTitle(frame));
  if (a.length === b.length) return a.map((_, index) => [index, index]);
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const length = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      (lengths[i] as number[])[j] = sameTitle(a[i] ?? '', b[j] ?? '')
        ? length(i + 1, j + 1) + 1
        : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const aligned: Alignment[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && sameTitle(a[i] ?? '', b[j] ?? '')) aligned.push([i++, j++]);
    else if (j >= b.length || (i < a.length && length(i + 1, j) >= length(i, j + 1))) aligned.push([i++, undefined]);
    else aligned.push([undefined, j++]);
  }
  return aligned;
}
