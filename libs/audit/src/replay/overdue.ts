import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';
import type { Findings } from '../verify/finding';
import type { Machine } from './machine';

/** What is due is looked at within this, ms of a process's life, or the process is not as it should be. */
const lookMsMax = 5_000;
/** A decision has come to something within this, ms of life: a store that is away is waited for 60 s, a reviewer 5 s. */
const underWayMsMax = 120_000;
/** So much life, ms, two appends show at most, however far apart they are: the machine may have slept between them. */
const gapMsMax = 2_500;

/** A process that has stopped its controllers ends within this, ms of life; it answers clients until then. */
const endMsMax = 20_000;

/** A look that the process had to take. */
interface Due {
  /** The fold's position when it was first found due. */
  position: number;
  /** The process's life when it showed that it had folded that; undefined: it has not. */
  since?: number;
  isFound?: boolean;
}

/**
 * Work that was due in a process and was not done. Only its own appends accuse it: one that was prepared on a state in which a look was
 * due says that it had that state. Time counts as far as appends show that the process was alive in it, in real time.
 */
export class Overdue {
  /** The newest append of the process. */
  last: RecordedEvent | undefined;
  private lastTime: number | undefined;
  /** Life shown so far, ms. */
  private life = 0;
  private readonly due = new Map<Machine, Due>();
  /** Life when a decision was first seen under way, by its name. */
  private readonly seenUnderWay = new Map<Machine, { name: string; since: number; isFound: boolean }>();

  /** Life when a controller was first seen stopped. */
  private readonly stoppedAt = new Map<Machine, number>();

  constructor(
    private readonly machines: readonly (Machine | undefined)[],
    /** Cluster seconds a real second. */
    private readonly speed: number,
    private readonly findings: Findings,
    private readonly writer: string,
    /** Controllers stop with their process; where instances take turns in leading, they stop with their lead too. */
    private readonly hasLeads: boolean,
  ) {}

  /** A round was taken: whatever was due then was looked at. */
  round(): void {
    this.due.clear();
  }

  /** The process has appended. The fold is at what came before it. */
  seen(event: RecordedEvent, { time, at }: EventMetadata, position: number): void {
    this.last = event;
    if (at === undefined) return;
    this.live(time);
    for (const machine of this.machines) {
      if (!machine || machine.hasDiverged) continue;
      if (machine.isStopped) {
        this.outlived(machine, event);
        continue;
      }
      if (!machine.isBarred) this.look(machine, event, { time, at, position });
      this.outcome(machine, event);
    }
  }

  private live(time: number): void {
    const passed = (time - (this.lastTime ?? time)) / this.speed;
    this.life += Math.min(Math.max(0, passed), gapMsMax);
    this.lastTime = Math.max(time, this.lastTime ?? time);
  }

  private look(machine: Machine, event: RecordedEvent, { time, at, position }: { time: number; at: number; position: number }): void {
    const found = machine.dueAt(time);
    if (!found) {
      this.due.delete(machine);
      return;
    }
    const due = this.due.get(machine);
    if (!due) {
      this.due.set(machine, { position });
      return;
    }
    if (at < due.position) return;
    due.since ??= this.life;
    if (due.isFound || this.life < due.since + lookMsMax) return;
    due.isFound = true;
    const text = `${machine.name}: ${found.subject ?? 'a look that time brought'} was due at ${due.position}, and ${this.writer} took no round for 5 s`;
    this.findings.foundAt('L', event, text);
  }

  private outlived(machine: Machine, event: RecordedEvent): void {
    const since = this.stoppedAt.get(machine) ?? this.life;
    this.stoppedAt.set(machine, since);
    if (this.hasLeads || this.life < since + endMsMax) return;
    this.stoppedAt.set(machine, Infinity);
    this.findings.foundAt(
      'L',
      event,
      `its tape says that ${machine.name} was stopped, and ${this.writer} lives on ${endMsMax / 1_000} s later`,
    );
  }

  private outcome(machine: Machine, event: RecordedEvent): void {
    const oldest = machine.oldestUnderWay;
    if (!oldest) return;
    const seen = this.seenUnderWay.get(machine);
    if (seen?.name !== oldest.name) {
      this.seenUnderWay.set(machine, { name: oldest.name, since: this.life, isFound: false });
      return;
    }
    if (seen.isFound || this.life < seen.since + underWayMsMax) return;
    seen.isFound = true;
    this.findings.foundAt('U', event, `${oldest.name} on ${oldest.decision.subject}: nothing became of it in ${underWayMsMax / 1_000} s`);
  }
}
