import type { FoldedAppend } from '#libs/cluster-state';
import {
  encodeRound,
  encodeTape,
  endOfTape,
  fact,
  type EncodedRound,
  type Round,
  type TapeBase,
  type TapedMark,
  type TapedSettlement,
} from '#libs/events';
import { derivedId } from '#libs/kernel';
import type { Timer } from './clock';
import { ofNoObject } from './controller';
import type { Answered, ControllerShell } from './controller-shell';
import type { ClusterRuntime } from './runtime';

/** A tape longer than this is put into the log by an event of its own, bytes. */
const tapeBytesMax = 256;
/** A round that no append has carried for so long gets an event of its own, ms of real time. */
const uncarriedMsMax = 1_000;

const now = Promise.resolve();

/**
 * Asks all controllers of a process, round by round. Appends are folded one by one, and each controller follows each; between them come
 * rounds: the controllers are told what became of their decisions, in the order of controller and decision, and then asked in the order
 * of their starts for what is due, all at one position and one time. A round in which there was anything to tell or to ask goes onto the
 * tape, and the tape into the log with every append until it has come back: so whoever has the log knows exactly when whom was asked.
 */
export class Rounds {
  /** By place among this writer's starts; undefined: stopped. */
  private readonly shells: (ControllerShell<unknown> | undefined)[] = [];
  /** Those that follow a resource, by its name (`ofNoObject`: what changes none), in the same order; found out again when one comes or goes. */
  private readonly followers = new Map<string, readonly ControllerShell<unknown>[]>();
  /** Those whose start is on its way, by the id of its record. */
  private readonly expected = new Map<string, ControllerShell<unknown>>();
  private readonly barred = new Set<number>();
  private answers: Answered[] = [];
  private marks: TapedMark[] = [];
  private readonly tape: UncarriedTape;
  private isScheduled = false;
  /** The time that a round will be taken at; a timer is set anew only when it changes. */
  private wakesAt: number | undefined;
  private wake: Timer | undefined;

  constructor(private readonly runtime: ClusterRuntime) {
    this.tape = new UncarriedTape(runtime);
  }

  /** The shell begins in the fold of the record with this id. */
  expect(id: string, shell: ControllerShell<unknown>): void {
    this.expected.set(id, shell);
  }

  /** The fold has this append and nothing behind it. */
  follow(append: FoldedAppend): void {
    for (const shell of this.followersOf(append.change?.resource ?? ofNoObject)) shell.apply(append);
    const [first] = append.events;
    if (first?.metadata.writer === this.runtime.options.writer) this.followOwn(append);
    this.schedule();
  }

  private followersOf(resource: string): readonly ControllerShell<unknown>[] {
    let found = this.followers.get(resource);
    if (!found) {
      found = this.shells.filter((shell) => shell !== undefined).filter(({ follows }) => !follows || follows.includes(resource));
      this.followers.set(resource, found);
    }
    return found;
  }

  private followOwn(append: FoldedAppend): void {
    const { id, type, metadata } = append.events[0] as FoldedAppend['events'][number];
    if (typeof metadata.tape === 'string') this.tape.carried(metadata.tape);
    if (type !== 'ControllerStarted') return;
    const place = this.shells.length;
    const shell = this.expected.get(id);
    this.expected.delete(id);
    this.shells.push(shell);
    this.followers.clear();
    // Its start was given up before its record came.
    if (shell) shell.begin(append, place);
    else this.marks.push({ kind: 'stopped', controller: place });
  }

  /** What became of a decision. */
  answered(answer: Answered): void {
    this.answers.push(answer);
    this.schedule();
  }

  /** From now on the controller is asked no more and told nothing. */
  stop(shell: ControllerShell<unknown>): void {
    for (const [id, expected] of this.expected) if (expected === shell) this.expected.delete(id);
    const place = this.shells.indexOf(shell);
    if (place < 0) return;
    this.shells[place] = undefined;
    this.followers.clear();
    this.answers = this.answers.filter((answer) => answer.controller !== place);
    this.marks.push({ kind: 'stopped', controller: place });
    this.schedule();
  }

  /** A round is taken between events, never inside a fold. */
  schedule(): void {
    if (this.isScheduled || this.shells.length === 0) return;
    this.isScheduled = true;
    this.runtime.pending++;
    // A reaction costs less than `queueMicrotask`, which makes a resource for async_hooks: there are dozens of rounds a pod.
    void now.then(() => {
      this.isScheduled = false;
      this.runtime.pending--;
      this.take();
    });
  }

  /** The rounds that an append has to carry, as its metadata has them; undefined: none. */
  tapeFor(base: TapeBase): string | undefined {
    return this.tape.encoded(base);
  }

  close(): void {
    this.wake?.cancel();
    this.tape.close();
    this.shells.length = 0;
    this.followers.clear();
  }

  private take(): void {
    const { clock, state } = this.runtime;
    const time = clock.now();
    const settlements = this.deliver(time);
    const asked = this.shells.filter((shell, place) => shell && this.mayAsk(shell, place)) as ControllerShell<unknown>[];
    const begun: (() => void)[] = [];
    let looks = 0;
    let isMoreDue = false;
    for (const shell of asked) {
      const turn = shell.turn(time, begun);
      looks += turn.looks;
      isMoreDue ||= turn.isMoreDue;
    }
    const marks = this.marks.splice(0);
    if (looks + settlements.length + marks.length > 0) this.tape.add({ position: state.position, now: time, settlements, marks });
    // What was decided is carried out only now, so that its appends carry this round.
    for (const carryOut of begun) carryOut();
    if (isMoreDue) this.yield();
    else this.wakeAt(earliestWake(asked, time));
  }

  private deliver(time: number): TapedSettlement[] {
    if (this.answers.length === 0) return [];
    const due = this.answers.sort((a, b) => a.controller - b.controller || a.ordinal - b.ordinal);
    this.answers = [];
    for (const answer of due) this.shells[answer.controller]?.settle(answer, time);
    return due.map(({ controller, ordinal, outcome }) => ({ controller, ordinal, outcome }));
  }

  private mayAsk(shell: ControllerShell<unknown>, place: number): boolean {
    const isBarred = !shell.mayDecide();
    if (isBarred !== this.barred.has(place)) {
      if (isBarred) this.barred.add(place);
      else this.barred.delete(place);
      this.marks.push({ kind: isBarred ? 'barred' : 'freed', controller: place });
    }
    return !isBarred;
  }

  /** Lets input and output through before the next round. */
  private yield(): void {
    this.runtime.pending++;
    setImmediate(() => {
      this.runtime.pending--;
      this.schedule();
    });
  }

  private wakeAt(time: number | undefined): void {
    if (time === this.wakesAt) return;
    this.wakesAt = time;
    this.wake?.cancel();
    this.wake =
      time === undefined
        ? undefined
        : this.runtime.clock.at(time, () => {
            this.wakesAt = undefined;
            this.schedule();
          });
  }
}

function earliestWake(shells: readonly ControllerShell<unknown>[], now: number): number | undefined {
  let first: number | undefined;
  for (const shell of shells) {
    const time = shell.nextWake(now);
    if (time !== undefined && time < (first ?? Infinity)) first = time;
  }
  return first;
}

/**
 * The rounds that the log, as far as it has been folded, does not have yet. Every append carries all of them: whichever comes to the log
 * brings all that was before it, however many others were refused, sent again, or lost with the process.
 */
class UncarriedTape {
  private readonly rounds: EncodedRound[] = [];
  /** Number of the first of them. */
  private first = 0;
  private bytes = 0;
  private timer: Timer | undefined;
  private isWriting = false;
  private written = 0;

  constructor(private readonly runtime: ClusterRuntime) {}

  add(round: Round): void {
    const encoded = encodeRound(round);
    this.rounds.push(encoded);
    this.bytes += bytesOf(encoded);
    if (this.bytes > tapeBytesMax) void this.write();
    else this.timer ??= this.writeLater();
  }

  encoded(base: TapeBase): string | undefined {
    return this.rounds.length === 0 ? undefined : encodeTape(this.first, this.rounds, base);
  }

  /** An append of this process has come back with this tape. */
  carried(tape: string): void {
    const gone = this.rounds.splice(0, Math.max(0, endOfTape(tape) - this.first));
    if (gone.length === 0) return;
    this.first += gone.length;
    for (const round of gone) this.bytes -= bytesOf(round);
    this.timer?.cancel();
    this.timer = this.rounds.length === 0 ? undefined : this.writeLater();
  }

  close(): void {
    this.timer?.cancel();
  }

  private writeLater(): Timer {
    const { clock } = this.runtime;
    return clock.at(clock.now() + Math.ceil(clock.inRealMs(uncarriedMsMax)), () => {
      this.timer = undefined;
      void this.write();
    });
  }

  private async write(): Promise<void> {
    if (this.isWriting) return;
    this.isWriting = true;
    const operation = `rounds/${this.written++}`;
    const origin = { actor: 'kubereel', operation, correlationId: derivedId(`${this.runtime.options.writer}/${operation}`) };
    try {
      await this.runtime.appendDecision('cluster-lifecycle', [fact('RoundsTaken', {})], origin, '0');
    } catch {
      // The log is away: it is tried again.
      if (this.rounds.length > 0) this.timer ??= this.writeLater();
    } finally {
      this.isWriting = false;
    }
  }
}

/** Nearly: positions and times take two bytes or three. */
function bytesOf({ told }: EncodedRound): number {
  return told.length + 4;
}
