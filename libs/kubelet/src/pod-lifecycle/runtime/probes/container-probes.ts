import { derivedIndex } from '#libs/kernel';
import type { ContainerBehaviour, ProbeKind } from '../../../behaviour';
import type { Container, Probe } from '../../pod-types';
import { ProbeCourse, type Told } from './probe-course';
import { finderFor } from './probe-finder';
import type { ProbeTarget } from './probe-outcome';

/** What the probes of a pod's containers rest on, beside the runs. Times in ms since the epoch. */
export interface ProbedPod {
  uid: string;
  /** When the kubelet took the pod: its probes' rounds go by that. */
  acceptedAt: number;
  /** When the node's kubelet last began anew: it knows nothing of rounds before. */
  kubeletStartedAt: number | undefined;
  podIP: string;
}

/** A run that is probed. */
export interface ProbedRun {
  container: Container;
  behaviour: ContainerBehaviour;
  startedAt: number;
  /** When this kubelet first saw it run. */
  seenAt: number;
  programAnswers: ProbeTarget['programAnswers'];
}

/** A probe has found that the container is to be restarted. */
export interface ProbeKill {
  cause: 'liveness' | 'startup';
  at: number;
  /** Of the probe; undefined: the pod's. */
  graceSeconds: number | undefined;
}

/** How long after the first round of readiness upstream makes the second: the sync that the first one's result asks for waits for a relist. */
const relistMs = 1_000;

const fieldOf: Readonly<Record<ProbeKind, 'startupProbe' | 'readinessProbe' | 'livenessProbe'>> = {
  startup: 'startupProbe',
  readiness: 'readinessProbe',
  liveness: 'livenessProbe',
};

/** A container of which it is said when it is ready, without a probe that could tell: what is said holds from then on. */
const untold: Probe = { periodSeconds: 1, failureThreshold: 1 };

/** The probes of one run of a container, as the kubelet has followed them up to a moment. Time goes forward only. */
export class ContainerProbes {
  private readonly startup: ProbeCourse | undefined;
  private readiness: ProbeCourse | undefined;
  private liveness: ProbeCourse | undefined;
  private at = Number.NEGATIVE_INFINITY;
  /** Until when the pod is not being stopped: from there on nothing asks whether containers live. */
  private livesUntil = Number.POSITIVE_INFINITY;
  private changes: number | undefined;
  private isKnown = false;

  constructor(
    private readonly run: ProbedRun,
    private readonly pod: ProbedPod,
  ) {
    this.startup = this.courseOf('startup', this.run.seenAt);
    if (!this.startup) this.begin(this.run.seenAt);
  }

  /** When this kubelet first saw the container run: its rounds are counted from there. */
  get seenAt(): number {
    return this.run.seenAt;
  }

  /** It has been followed further than that. */
  isBeyond(now: number): boolean {
    return now < this.at;
  }

  /** Follows the probes up to now. */
  advance(now: number): void {
    this.at = now;
    if (this.isKnown && (this.changes === undefined || now < this.changes)) return;
    this.isKnown = false;
    this.startup?.advance(Math.min(now, this.livesUntil));
    const startedAt = this.startedAt();
    if (startedAt !== undefined) this.begin(startedAt);
    this.readiness?.advance(now);
    this.liveness?.advance(Math.min(now, this.livesUntil));
  }

  /** The pod is being stopped since then. */
  stopAsking(since: number): void {
    if (since < this.livesUntil) this.isKnown = false;
    this.livesUntil = Math.min(this.livesUntil, since);
  }

  /** When the container counted as started, ms; undefined: not yet. */
  startedAt(): number | undefined {
    if (!this.startup) return this.run.seenAt;
    return this.startup.verdict === 'success' ? this.startup.verdictAt : undefined;
  }

  get isReady(): boolean {
    if (this.startedAt() === undefined) return false;
    return !this.readiness || this.readiness.verdict === 'success';
  }

  kill(): ProbeKill | undefined {
    for (const cause of ['startup', 'liveness'] as const) {
      const course = this[cause];
      if (course?.verdict !== 'failure' || course.verdictAt === undefined) continue;
      return { cause, at: course.verdictAt, graceSeconds: this.run.container[fieldOf[cause]]?.terminationGracePeriodSeconds };
    }
    return undefined;
  }

  /** When the probes will find otherwise next, if nothing comes between, ms; undefined: never. */
  changesAt(): number | undefined {
    if (!this.isKnown) {
      this.changes = this.earliest((course) => course.nextVerdictAt());
      this.isKnown = true;
    }
    return this.changes;
  }

  /** What there is to tell of by now, from the beginning of the run. */
  *told(): Iterable<Told> {
    for (const course of this.courses()) {
      if (!this.isTold(course)) continue;
      course.advance(this.limitOf(course));
      yield* course.told.values();
    }
  }

  /** When there will be more to tell of, at this moment (ms) or later; undefined: never. */
  tellsAt(notBefore: number): number | undefined {
    const from = Math.max(notBefore, this.at + 1);
    return this.earliest((course) => (this.isTold(course) ? course.nextTellingAt(from) : undefined));
  }

  private isTold(course: ProbeCourse): boolean {
    return this.run.container[fieldOf[course.rules.kind]] !== undefined;
  }

  private earliest(momentOf: (course: ProbeCourse) => number | undefined): number | undefined {
    let first: number | undefined;
    for (const course of this.courses()) {
      const at = momentOf(course);
      if (at === undefined || (course !== this.readiness && at > this.livesUntil)) continue;
      first = Math.min(first ?? at, at);
    }
    return first;
  }

  private limitOf(course: ProbeCourse): number {
    return course === this.readiness ? this.at : Math.min(this.at, this.livesUntil);
  }

  private *courses(): Iterable<ProbeCourse> {
    if (this.startup) yield this.startup;
    if (this.readiness) yield this.readiness;
    if (this.liveness) yield this.liveness;
  }

  private begin(startedAt: number): void {
    this.readiness ??= this.courseOf('readiness', startedAt);
    this.liveness ??= this.courseOf('liveness', startedAt);
  }

  private courseOf(kind: ProbeKind, from: number): ProbeCourse | undefined {
    const { container, behaviour, startedAt, programAnswers } = this.run;
    const probe = container[fieldOf[kind]] ?? (kind === 'readiness' && behaviour.health.readiness ? untold : undefined);
    if (!probe) return undefined;
    const periodMs = (probe.periodSeconds ?? 10) * 1_000;
    const rules = {
      kind,
      periodMs,
      successThreshold: probe.successThreshold ?? 1,
      failureThreshold: probe.failureThreshold ?? 3,
      startedAt,
      ...this.beginOf(kind, probe, periodMs, from),
    };
    const { podIP } = this.pod;
    return new ProbeCourse(rules, finderFor(probe, kind, { container, behaviour, podIP, programAnswers }));
  }

  /**
   * A row of rounds goes by the moment at which the pod was taken; where the kubelet has begun anew since, by a moment within one period of
   * that. Readiness is asked as soon as the container runs and has started, and goes on from there.
   */
  private beginOf(kind: ProbeKind, probe: Probe, periodMs: number, from: number): { firstAt: number; notBefore: number; againAt?: number } {
    const { uid, acceptedAt, kubeletStartedAt } = this.pod;
    const { startedAt, container } = this.run;
    const isAnew = kubeletStartedAt !== undefined && kubeletStartedAt >= acceptedAt;
    const row = isAnew ? kubeletStartedAt + derivedIndex(`${uid}/${container.name}/${kind}/${kubeletStartedAt}`, periodMs) : acceptedAt;
    // Upstream counts from the start as the status has it, in whole seconds.
    const delayed = Math.floor(startedAt / 1_000) * 1_000 + (probe.initialDelaySeconds ?? 0) * 1_000;
    if (kind !== 'readiness') return { firstAt: row, notBefore: Math.max(from + 1, row, delayed) };
    const firstAt = Math.max(from, row);
    if (this.startup) return { firstAt, notBefore: delayed };
    return { firstAt, notBefore: delayed, againAt: firstAt > from ? firstAt : firstAt + relistMs };
  }
}
