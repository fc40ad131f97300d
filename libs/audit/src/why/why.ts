import type { Controller } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { replayDecisions, type ControllerFactory } from '../replay/replay-decisions';
import { describeEvent } from './describe-event';
import { explainedAttempt, type AttemptExplainer, type ExplainedAttempt } from './explained-attempt';
import { MissedHints } from './missed-hint';
import { causationOf, collectStory, type ObjectReference, type Story } from './story';

export interface WhyOptions {
  log: EventLog;
  cluster: string;
  seed?: string;
  object: ObjectReference;
  controllers: readonly Controller[] | ControllerFactory;
  explainers: readonly AttemptExplainer[];
}

/** One thing that happened, with what led to it and what it led to. */
export interface WhyMoment {
  position: number;
  /** Cluster time, ms since the epoch. */
  time: number;
  type: string;
  stream: string;
  actor: string;
  text: string;
  /** The moment in this report that caused it, by position; absent at the top. */
  causedBy?: number;
  /** The scheduling attempt behind it, made again. */
  attempt?: ExplainedAttempt;
}

export interface WhyReport {
  object: ObjectReference;
  uids: string[];
  /** What led to the first moment, the earliest cause first. */
  origin: WhyMoment[];
  moments: WhyMoment[];
}

/** The causal story of an object, also of one that is gone. Decisions in it are made again, with their alternatives. */
export async function why(options: WhyOptions): Promise<WhyReport | undefined> {
  const { log, cluster, object } = options;
  const story = await collectStory(log, cluster, object);
  if (story.uids.length === 0) return undefined;
  const attempts = await explainAttempts(options, story);
  const positions = new Map<string, number>();
  for (const event of [...story.causes.values(), ...story.events]) positions.set(event.id, event.position);
  const told = new Set<string>();
  const moments: WhyMoment[] = [];
  for (const event of story.events) {
    const moment = momentOf(event, cluster, positions);
    if (!moment) continue;
    const decision = decisionOf(event, story);
    const attempt = decision === undefined || told.has(decision) ? undefined : attempts.get(decision);
    if (decision !== undefined && attempt) told.add(decision);
    moments.push(attempt ? { ...moment, attempt } : moment);
  }
  return { object, uids: story.uids, origin: originOf(story, cluster, positions), moments };
}

function momentOf(event: RecordedEvent, cluster: string, positions: ReadonlyMap<string, number>): WhyMoment | undefined {
  const text = describeEvent(event, cluster);
  if (text === undefined) return undefined;
  const cause = causationOf(event);
  const causedBy = cause === undefined ? undefined : positions.get(cause);
  const { position, type, stream } = event;
  const { time, actor } = event.metadata as unknown as { time: number; actor: string };
  return { position, time, type, stream, actor, text, ...(causedBy === undefined ? {} : { causedBy }) };
}

/** The chain of causes above the object's creation. */
function originOf(story: Story, cluster: string, positions: ReadonlyMap<string, number>): WhyMoment[] {
  const chain: WhyMoment[] = [];
  const created = story.events.find((event) => event.type === 'Created');
  let cause = created && causationOf(created);
  while (cause !== undefined) {
    const event = story.causes.get(cause);
    if (!event) break;
    const moment = momentOf(event, cluster, positions);
    if (moment) chain.unshift(moment);
    cause = causationOf(event);
  }
  return chain;
}

/** Decisions of the scheduler behind the story's events: its own attempts, and those that made it a victim. */
async function explainAttempts(options: WhyOptions, story: Story): Promise<Map<string, ExplainedAttempt>> {
  const { log, cluster, controllers, explainers } = options;
  const names = new Set(story.events.map((event) => decisionOf(event, story)).filter((name): name is string => name !== undefined));
  const explained = new Map<string, ExplainedAttempt>();
  const byController = new Map(explainers.map((explainer) => [explainer.controller, explainer]));
  const missed = new MissedHints(cluster, options.object);
  await replayDecisions({
    log,
    cluster,
    seed: options.seed ?? story.seed,
    controllers,
    collector: story.collector,
    beforeAppend: (append, state) => missed.before(append, state),
    wanted: (decision) => names.has(decision.basis.decision) && byController.has(decision.controller),
    onDecision: ({ recorded, state, cluster: at, context, assumed }) => {
      const { basis } = recorded;
      const found = byController.get(recorded.controller)?.explain(state as never, at, basis, context, assumed);
      if (found) explained.set(basis.decision, asRecorded(explainedAttempt(basis, found.pod, found.result, at), recorded.events));
    },
  });
  missed.note(attemptsOf(options.object, explained.values()));
  return explained;
}

/** The pod's own attempts, in the order of time. */
function attemptsOf({ namespace, name }: ObjectReference, attempts: Iterable<ExplainedAttempt>): ExplainedAttempt[] {
  return [...attempts].filter(({ pod }) => pod === `${namespace}/${name}`).sort((a, b) => a.position - b.position);
}

/** Every node was looked at for the explanation; what was decided is what the log says. */
function asRecorded(attempt: ExplainedAttempt, events: readonly RecordedEvent[]): ExplainedAttempt {
  const node = events.find(({ type }) => type === 'PodScheduled' || type === 'PreemptionDecided')?.data.node as string | undefined;
  if (node === undefined || node === attempt.node) return attempt;
  const preemption = attempt.preemption && {
    ...attempt.preemption,
    candidates: attempt.preemption.candidates.map((candidate) => ({ ...candidate, chosen: candidate.node === node })),
  };
  return { ...attempt, node, preemption };
}

function decisionOf(event: RecordedEvent, story: Story): string | undefined {
  return story.collector.decisionAt(event.position);
}
