import { framesOf, type ClusterState } from '#libs/cluster-state';
import type { Decision } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { hiddenData, refusedStep, type Fact } from '#libs/events';
import { derivedId, jsonEqual, type JsonObject } from '#libs/kernel';
import { prepareWrite, type ReviewAnswer } from '#libs/kube-api';

/** How often the writer prepares a write anew; reviews are looked for under each attempt's id. */
const attemptsMax = 21;

/**
 * Holds the events of one decision against the decision made again: records as they are, steps through the same pure write
 * path on the state just before their append.
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

  /** Why the append does not follow from the decision; undefined when it does. The cluster has not folded it yet. */
  difference(append: readonly RecordedEvent[], cluster: ClusterState): string | undefined {
    const first = append[0] as RecordedEvent;
    const step = first.metadata.step as string | undefined;
    if (step === 'record') return compare(this.decision.records ?? [], append);
    const waiting = this.rest.get(step ?? '');
    if (waiting?.length) return compare(waiting.shift() as Fact[], append);
    const refused = refusedStep(step);
    const wanted = this.decision.steps.find((candidate) => candidate.step === (refused ?? step));
    if (!wanted) return `the decision made again has no step "${refused ?? step}"`;
    if (refused !== undefined) return compare(wanted.refusal ? [wanted.refusal] : [], append);
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
    return compare(now ?? [], append);
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

function compareFrames(wanted: readonly (readonly Fact[])[], recorded: readonly (readonly RecordedEvent[])[]): string | undefined {
  if (wanted.length !== recorded.length) return `${recorded.length} frames where ${wanted.length} follow from the basis`;
  for (const [index, facts] of wanted.entries()) {
    const difference = compare(facts, recorded[index] as readonly RecordedEvent[]);
    if (difference) return difference;
  }
  return undefined;
}

function compare(facts: readonly Fact[], events: readonly RecordedEvent[]): string | undefined {
  if (facts.length !== events.length) return `${events.length} events where ${facts.length} follow from the basis`;
  for (const [index, fact] of facts.entries()) {
    const event = events[index] as RecordedEvent;
    if (fact.type !== event.type) return `${event.type} where ${fact.type} follows from the basis`;
    if (!jsonEqual(JSON.parse(JSON.stringify(fact.data)), event.data)) {
      const shown = (data: object): string => excerpt(hiddenData(event.stream, data as JsonObject));
      return `${event.type} says ${shown(event.data)} where the basis gives ${shown(fact.data)}`;
    }
  }
  return undefined;
}

const excerptMax = 300;

function excerpt(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text;
}
