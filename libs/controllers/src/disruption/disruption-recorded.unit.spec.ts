import { describe, expect, it } from 'vitest';
import { nextDecision, type DecisionContext } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import { prepareWrite } from '#libs/kube-api';
import { readArea, type Session } from '../../../../test/golden/controllers/recording';
import { goldenFolder } from '../../../../test/golden/golden-folder';
import { RecordedCluster, StepTimes } from './recorded-session.fixture';
import { disruptionController, type DisruptionState } from './disruption-controller';

/** Which of several budgets over one pod is counted is a matter of chance there. */
const loose = new Set(['pdb-overlap']);

/** Plays what everybody else did, lets the controller do its own part, and compares where each step ends. */
class Replay {
  private readonly times: StepTimes;
  private readonly truth: RecordedCluster;
  private readonly ours: RecordedCluster;
  private readonly state: DisruptionState;
  private ordinal = 0;
  private last = 0;

  constructor(private readonly session: Session) {
    this.times = new StepTimes(session.steps);
    this.truth = new RecordedCluster(session.session, this.times, session.setup);
    this.ours = new RecordedCluster(session.session, this.times, session.setup);
    this.state = disruptionController.initial(this.ours.cluster, 0);
  }

  run(): void {
    for (const step of this.session.steps) {
      const begin = this.times.of(step.step);
      for (const frame of step.frames.filter(({ event }) => !event)) {
        const now = begin + (frame.after ?? 0) * 1000;
        this.truth.play(frame, now);
        if (frame.by === 'disruption-controller') continue;
        this.work(now);
        const append = this.ours.play(frame, now);
        if (append) disruptionController.apply(this.state, append, this.ours.cluster);
        this.work(now);
      }
      this.work(begin + (step.wait ?? 1) * 1000);
      this.compare(step.step);
    }
  }

  /** Everything that is due up to `until`, each at its time. */
  private work(until: number): void {
    for (;;) {
      const now = Math.min(until, Math.max(this.last, disruptionController.nextWake(this.state, until) ?? until));
      this.last = Math.max(now, this.last);
      this.decide(this.last);
      if (this.last >= until) return;
    }
  }
  private decide(now: number): void {
    for (;;) {
      const context = { now, decision: `disruption/1/${this.ordinal}`, ordinal: this.ordinal } as DecisionContext;
      const decision = nextDecision(disruptionController, this.state, this.ours.cluster, context);
      if (!decision) return;
      for (const { request } of decision.steps) {
        if (request.verb !== 'record') throw new Error(`unexpected ${request.verb}`);
        const prepared = prepareWrite(this.ours.cluster, request, { now, id: context.decision });
        if (prepared.kind !== 'append') throw new Error(`the write is ${prepared.kind}`);
        for (const { type, data } of prepared.frames.flat()) {
          const { resource, namespace, name } = request.target;
          const append = this.ours.fold(resource, namespace, name, type, data, now);
          if (append) disruptionController.apply(this.state, append, this.ours.cluster);
        }
      }
      disruptionController.settled(this.state, decision, this.ordinal++, [], now);
    }
  }

  private compare(step: number): void {
    for (const resource of ['poddisruptionbudgets.policy', 'pods']) {
      for (const object of this.truth.cluster.list(resource)) {
        const mine = this.ours.cluster.get(resource, object.metadata.namespace, object.metadata.name);
        const where = `${this.session.session} step ${step} ${resource} ${object.metadata.name}`;
        expect(rounded(mine?.status), where).toEqual(rounded(object.status));
      }
    }
  }
}

/** Times agree to within a second or two: when a timer fires is the only thing they hang on. */
function rounded(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  return JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, (time) => String(Math.round(Date.parse(time) / 10_000)))) as JsonObject;
}

const folder = goldenFolder('controllers');
const sessions = folder === undefined ? undefined : readArea(folder, 'poddisruptionbudget');

describe.skipIf(!sessions)('budget status, as recorded', () => {
  for (const session of sessions?.filter(({ session: name }) => !loose.has(name)) ?? []) {
    it(`${session.session}: ${session.title}`, () => new Replay(session).run());
  }
});
