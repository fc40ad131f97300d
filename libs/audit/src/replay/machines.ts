import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { Basis, EventMetadata, Round } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import type { AppendCheck } from '../verify/check';
import type { Findings } from '../verify/finding';
import type { ControllerFactory } from './controller-factory';
import { Machine, type DecisionMoment } from './machine';
import type { WriteChecks, Wrong } from './made-decision';
import { Overdue } from './overdue';
import type { Tapes, WriterTape } from './tapes';

export interface MachinesOptions {
  controllerOf: ControllerFactory;
  tapes: Tapes;
  /** The cluster's. */
  seed: string;
  findings: Findings;
  /** To hold what was written against what follows; absent: only what was decided counts. */
  writes?: WriteChecks;
  /** Called before each look that a controller takes. */
  looking?: (moment: DecisionMoment) => void;
}

/** How many decisions of a log agree, differ, or cannot be made again. */
export interface DecisionCounts {
  /** Made again, and as recorded. */
  agreed: number;
  /** Made again, and otherwise recorded. */
  differ: number;
  /** By a behaviour that the controller does not have here. */
  otherVersion: number;
  /** By a controller that is not known here, or that is not followed any more; or of a version that kept no tape. */
  notDerivable: number;
}

/** Decisions of controllers that cannot be replayed, of which it is remembered that they are counted: parts of one lie close together. */
const notMadeMax = 4_096;

/** A process that ran controllers, replayed. */
interface Process {
  readonly tape: WriterTape;
  readonly rounds: Iterator<Round, void>;
  upcoming: Round | undefined;
  /** By place among its starts; undefined: not known here. */
  readonly machines: (Machine | undefined)[];
  readonly overdue: Overdue;
}

/**
 * Every controller of a log, replayed whole: started at the record of its start, told each append as it was told, and asked at the rounds
 * that the tapes have. Every decision follows, with its subject and its place in the order; each is held against what the log has of it.
 */
export class Machines implements AppendCheck {
  readonly letter = 'M';
  private readonly processes = new Map<string, Process>();
  /** By `controller/incarnation`. */
  private readonly byLife = new Map<string, Machine>();
  /** Lives that cannot be replayed here, by `controller/incarnation`, and why. */
  private readonly unknown = new Map<string, 'otherVersion' | 'notDerivable'>();
  /** Decisions of such lives, the last ones. */
  private readonly notMade = new Set<string>();
  readonly counts: DecisionCounts = { agreed: 0, differ: 0, otherVersion: 0, notDerivable: 0 };
  private cluster: ClusterState | undefined;

  constructor(private readonly options: MachinesOptions) {}

  append(append: readonly RecordedEvent[], cluster: ClusterState): void {
    this.cluster = cluster;
    this.passRounds(cluster);
    const first = append[0] as RecordedEvent;
    const metadata = first.metadata as unknown as EventMetadata;
    if (metadata.basis) this.takeDecided(append, first, metadata.basis, cluster);
    const process = this.processes.get(metadata.writer);
    if (process) process.overdue.seen(first, metadata, cluster.position);
  }

  folded(frame: FoldedAppend): void {
    for (const { machines } of this.processes.values()) for (const machine of machines) machine?.apply(frame);
    const [first] = frame.events;
    if (first?.type === 'ControllerStarted') this.start(frame, first);
  }

  end(): void {
    if (this.cluster) this.passRounds(this.cluster);
    for (const [writer, process] of this.processes) this.close(writer, process);
  }

  /** All rounds that were taken at the position that the fold has reached. */
  private passRounds(cluster: ClusterState): void {
    for (const [writer, process] of this.processes) {
      while (process.upcoming && process.upcoming.position <= cluster.position) {
        this.round(process, process.upcoming);
        process.upcoming = process.rounds.next().value ?? undefined;
      }
      if (!process.upcoming && process.tape.tornAt !== undefined) giveUp(process);
      if (!process.upcoming && process.tape.lastAppend <= cluster.position) this.close(writer, process);
    }
  }

  private round(process: Process, round: Round): void {
    const { settlements, marks, now } = round;
    for (const { kind, controller } of marks) {
      const machine = process.machines[controller];
      if (machine && kind === 'stopped') machine.isStopped = true;
    }
    for (const { controller, ordinal, outcome } of settlements) {
      const machine = process.machines[controller];
      if (machine) this.note(machine.settle(ordinal, outcome, now), process.overdue.last ?? machine.started.events[0]);
    }
    for (const { kind, controller } of marks) {
      const machine = process.machines[controller];
      if (machine && kind !== 'stopped') this.bar(process, machine, kind === 'barred');
    }
    let looks = 0;
    for (const machine of process.machines) if (machine?.isAsked) looks += machine.turn(round, this.options.looking);
    if (looks + settlements.length + marks.length === 0) this.idle(process, round);
    process.overdue.round();
  }

  /** A round in which nobody is told or asked anything goes onto no tape. */
  private idle({ machines, overdue }: Process, { position, now }: Round): void {
    if (!overdue.last || machines.some((machine) => !machine || machine.hasDiverged)) return;
    const text = `its writer's tape has a round at ${position}, ${new Date(now).toISOString()}, in which nothing was due`;
    this.options.findings.foundAt('M', overdue.last, text);
  }

  private bar({ overdue }: Process, machine: Machine, isBarred: boolean): void {
    machine.isBarred = isBarred;
    const event = overdue.last ?? machine.started.events[0];
    if (isBarred && !this.options.tapes.hasLeads && event)
      this.options.findings.foundAt('M', event, `its tape says that ${machine.name} did not lead, and nobody ever took the lead`);
  }

  private takeDecided(append: readonly RecordedEvent[], first: RecordedEvent, { decision }: Basis, cluster: ClusterState): void {
    const { life, ordinal } = partsOf(decision);
    const machine = this.byLife.get(life);
    if (machine) this.note(machine.take(ordinal, append, cluster), first);
    else if (!this.notMade.has(decision)) this.countNotMade(decision, life);
  }

  private countNotMade(decision: string, life: string): void {
    this.counts[this.unknown.get(life) ?? 'notDerivable']++;
    this.notMade.add(decision);
    if (this.notMade.size > notMadeMax) this.notMade.delete(this.notMade.values().next().value as string);
  }

  private start(frame: FoldedAppend, event: RecordedEvent): void {
    const { controller: name, behaviour, config } = event.data as { controller: string; behaviour: string; config?: JsonObject };
    const life = `${name}/${event.position}`;
    const process = this.processOf(event);
    if (!process) {
      this.unknown.set(life, 'notDerivable');
      return;
    }
    const controller = this.options.controllerOf(name, config ?? {}, behaviour);
    const isOther = controller !== undefined && controller.behaviour !== behaviour;
    if (!controller || isOther) {
      this.unknown.set(life, isOther ? 'otherVersion' : 'notDerivable');
      process.machines.push(undefined);
      this.cannotReplay(event, name, behaviour, controller?.behaviour);
      return;
    }
    const machine = new Machine(controller, this.cluster as ClusterState, frame, this.options);
    process.machines.push(machine);
    this.byLife.set(life, machine);
  }

  private cannotReplay(event: RecordedEvent, name: string, behaviour: string, here: string | undefined): void {
    const { findings } = this.options;
    if (here === undefined)
      findings.unproven(`not-derivable=${name}`, event.position, `${name}: the controller, or a plugin of it, is not here`);
    else
      findings.unproven(
        `other-version=${name}@${behaviour}`,
        event.position,
        `decided by behaviour ${behaviour} of ${name}; here it is ${here}`,
      );
  }

  /** Undefined: of an older version, which kept no tape. */
  private processOf(event: RecordedEvent): Process | undefined {
    const { writer, at } = event.metadata as unknown as EventMetadata;
    let process = this.processes.get(writer);
    if (process) return process;
    const tape = this.options.tapes.writers.get(writer);
    if (at === undefined || !tape) {
      const text = `${writer} is of a version that kept no tape: only the chain of its events is checked`;
      this.options.findings.unproven('older-log=decisions', event.position, text);
      return undefined;
    }
    const rounds = tape.rounds.read();
    const speed = this.options.tapes.speed(writer);
    const machines: (Machine | undefined)[] = [];
    const overdue = new Overdue(machines, speed, this.options.findings, writer, this.options.tapes.hasLeads);
    process = { tape, rounds, upcoming: rounds.next().value ?? undefined, machines, overdue };
    this.processes.set(writer, process);
    return process;
  }

  /** The process appends no more: nothing can be asked of its controllers. */
  private close(writer: string, { machines }: Process): void {
    this.processes.delete(writer);
    for (const machine of machines) {
      if (!machine) continue;
      machine.end();
      this.counts.agreed += machine.agreed;
      this.counts.differ += machine.differing;
      this.byLife.delete(`${machine.name}/${machine.started.position}`);
    }
  }

  private note(wrong: readonly Wrong[], event: RecordedEvent | undefined): void {
    if (event) for (const { check, text } of wrong) this.options.findings.foundAt(check, event, text);
  }
}

/** Rounds are missing: whatever follows would differ for that reason alone. */
function giveUp({ machines }: Process): void {
  for (const machine of machines) if (machine) machine.hasDiverged = true;
}

function partsOf(decision: string): { life: string; ordinal: number } {
  const slash = decision.lastIndexOf('/');
  return { life: decision.slice(0, slash), ordinal: Number(decision.slice(slash + 1)) };
}
