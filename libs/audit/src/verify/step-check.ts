import { framesOf } from '#libs/cluster-state';
import type { Decision } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { refusedStep, type Fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import { prepareWrite, type ReviewAnswer, type StateView } from '#libs/kube-api';
import { compareFacts, compareFrames } from './compare-facts';

/** How often the writer prepares a write anew; reviews are looked for under each attempt's id. */
const attemptsMax = 21;

/**
 * Holds the events of one decision against the decision made again: records as they are, steps through the same pure write
 * path on the state that they were prepared on.
 */
export class StepCheck {
  /** Frames still to come, by step, where each was an append of its own, as until version 0.1.0. */
  private readonly rest = new Map<string, Fact[][]>();

  constructor(
    readonly decision: Decision,
    private readonly name: string,
    private readonly seed: string,
    private readonly answers: ReadonlyMap<string, RecordedEvent>,
  ) {}

  /**
   * Why the append does not follow from the decision; undefined when it does.
   * @param cluster as it was when the append was prepared
   */
  difference(append: readonly RecordedEvent[], cluster: StateView): string | undefined {
    const first = append[0] as RecordedEvent;
    const step = first.metadata.step as string | undefined;
    if (step === 'record') return compareFacts(this.decision.records ?? [], append);
    const waiting = this.rest.get(step ?? '');
    if (waiting?.length) return compareFacts(waiting.shift() as Fact[], append);
    const refused = refusedStep(step);
    const wanted = this.decision.steps.find((candidate) => candidate.step === (refused ?? step));
    if (!wanted) return `the decision made again has no step "${refused ?? step}"`;
    if (refused !== undefined) return compareFacts(wanted.refusal ? [wanted.refusal] : [], append);
    const operation = `${this.name}/${wanted.step}`;
    const reviews = this.reviewsOf(first.metadata.writer as string, operation);
    const prepared = prepareWrite(cluster, wanted.request, {
      now: first.metadata.time as number,
      id: `${this.seed}/${operation}`,
      reviews,
    });
    if (prepared.kind !== 'append') return `the write made again gives "${prepared.kind}"`;
    if (prepared.stream !== first.stream) return `the write made again goes to ${prepared.stream}`;
    const frames = framesOf(append);
    const [now, ...later] = prepared.frames;
    if (frames.length > 1 || later.length === 0) return compareFrames(prepared.frames, frames);
    this.rest.set(wanted.step, later);
    return compareFacts(now ?? [], append);
  }

  /** What reviewers have answered, attempt by attempt; several may have been asked in one. */
  private reviewsOf(writer: string, operation: string): ReviewAnswer[] {
    const found: ReviewAnswer[] = [];
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      for (let index = 0; ; index++) {
        const label = `review.${attempt}${index > 0 ? `.${index}` : ''}`;
        const answer = this.answers.get(derivedId(`${writer}/${operation}/${label}/0`));
        if (!answer) break;
        found.push({ type: answer.type, data: answer.data });
      }
    }
    return found;
  }
}
