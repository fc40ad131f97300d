import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Controller } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { objectStream, type Basis, type EventData } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { factoryOf, type ControllerFactory } from '../replay/controller-factory';
import { Machines } from '../replay/machines';
import { replayLog } from '../replay/replay-log';
import { Findings } from '../verify/finding';
import { bystanderEvents } from './bystanders';
import { describeEvent } from './describe-event';
import { explainedAttempt, type AttemptExplainer, type ExplainedAttempt } from './explained-attempt';
import { MissedHints } from './missed-hint';
import { standingOf } from './standing';
import { agentWords } from './words';
import { causationOf, collectStory, wasRefused, type ObjectReference, type Story } from './story';

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
  /** What a user's client called itself, short: `kubectl drain`. */
  agent?: string;
  /** Who acted as this user. */
  impersonator?: string;
  text: string;
  /** The moment in this report that caused it, by position; absent at the top. */
  causedBy?: number;
  /** The scheduling attempt behind it, made again. */
  attempt?: ExplainedAttempt;
  /** The kubelet's choice behind it: all that it could have evicted, the first to go first. */
  eviction?: EventData<'PodEvictedByKubelet'>;
}

export interface WhyReport {
  object: ObjectReference;
  uids: string[];
  /** How it stands at the end of the log, in sentences; the first one is the answer to most questions. */
  standing: string[];
  /** What led to the first moment, the earliest cause first. */
  origin: WhyMoment[];
  moments: WhyMoment[];
}

/** The causal story of an object, also of one that is gone. Decisions in it are made again, with their alternatives. */
export async function why(options: WhyOptions): Promise<WhyReport | undefined> {
  const { log, cluster, object } = options;
  const story = await collectStory(log, cluster, object);
  if (story.uids.length === 0 && !wasRefused(story)) return undefined;
  const telling = new Telling(cluster, object, story);
  const attempts = await explainAttempts(options, story, telling);
  const told = new Set<string>();
  const moments: WhyMoment[] = [];
  for (const event of telling.events()) {
    const moment = telling.moment(event);
    if (!moment) continue;
    const decision = decisionOf(event, story);
    const attempt = decision === undefined || told.has(decision) ? undefined : attempts.get(decision);
    if (decision !== undefined && attempt) told.add(decision);
    moments.push(attempt ? { ...moment, attempt } : moment);
  }
  const standing = telling.state ? standingOf(object, story, telling.victims, telling.state) : [];
  return { object, uids: story.uids, standing, origin: originOf(story, telling), moments };
}

/** Puts the story's events into words while the log is folded: what a change means shows beside what was there before it. */
class Telling {
  /** As it is when the log has been folded. */
  state: ClusterState | undefined;
  /** By stream: who preempted the pod. */
  private readonly preemptors = new Map<string, string>();
  /** Pods that the object has preempted, or what it owns, as they were then. */
  readonly victims: KubeObject[] = [];
  private readonly preempted: ReadonlySet<string>;
  private readonly told = new Map<string, string | undefined>();
  private readonly wanted = new Map<string, RecordedEvent>();
  private readonly stream: string;
  /** Those whose bearing on the object shows in the state only. */
  private readonly others: RecordedEvent[] = [];

  constructor(
    private readonly cluster: string,
    private readonly object: ObjectReference,
    private readonly story: Story,
  ) {
    this.stream = objectStream(cluster, object.resource, object.namespace, object.name);
    this.preempted = new Set(story.preempted.map(({ id }) => id));
    for (const event of [...story.causes.values(), ...story.events]) this.wanted.set(event.id, event);
  }

  /** Takes the next frame of the log. */
  take(frame: FoldedAppend, state: ClusterState): void {
    this.state = state;
    for (const event of bystanderEvents(this.object, frame, state)) {
      if (this.wanted.has(event.id)) continue;
      this.wanted.set(event.id, event);
      this.others.push(event);
    }
    for (const event of frame.events) {
      if (event.type === 'PodPreempted') this.preemptors.set(event.stream, event.data.preemptor as string);
      else if (event.type === 'Created') this.preemptors.delete(event.stream);
      if (this.preempted.has(event.id) && frame.change) this.victims.push(frame.change.object);
      if (!this.wanted.has(event.id)) continue;
      const cause = this.causeOf(event);
      // The object's own story tells it in a line of its own.
      const preemptor = event.stream === this.stream ? undefined : this.preemptors.get(event.stream);
      this.told.set(event.id, describeEvent({ event, cluster: this.cluster, change: frame.change, state, cause, preemptor }));
    }
  }

  /** In log order. */
  events(): RecordedEvent[] {
    if (this.others.length === 0) return this.story.events;
    return [...this.story.events, ...this.others].sort((a, b) => a.position - b.position);
  }

  moment(event: RecordedEvent): WhyMoment | undefined {
    const text = this.told.get(event.id);
    if (text === undefined) return undefined;
    const causedBy = this.causeOf(event)?.position;
    const { position, type, stream } = event;
    const { time, actor } = event.metadata as unknown as { time: number; actor: string };
    const agent = agentWords(event.metadata.agent);
    const { impersonator } = event.metadata as { impersonator?: string };
    return {
      position,
      time,
      type,
      stream,
      actor,
      ...(agent === undefined ? {} : { agent }),
      ...(impersonator === undefined ? {} : { impersonator }),
      text,
      ...(causedBy === undefined ? {} : { causedBy }),
      ...(type === 'PodEvictedByKubelet' ? { eviction: event.data as unknown as EventData<'PodEvictedByKubelet'> } : {}),
    };
  }

  private causeOf(event: RecordedEvent): RecordedEvent | undefined {
    return this.wanted.get(causationOf(event) ?? '');
  }
}

/** The chain of causes above the object's creation. */
function originOf(story: Story, telling: Telling): WhyMoment[] {
  const chain: WhyMoment[] = [];
  const created = story.events.find((event) => event.type === 'Created');
  let cause = created && causationOf(created);
  while (cause !== undefined) {
    const event = story.causes.get(cause);
    if (!event) break;
    const moment = telling.moment(event);
    if (moment) chain.unshift(moment);
    cause = causationOf(event);
  }
  return chain;
}

/** Decisions of schedulers behind the story's events: a pod's own attempts, and those that made it a victim. */
async function explainAttempts(options: WhyOptions, story: Story, telling: Telling): Promise<Map<string, ExplainedAttempt>> {
  const { log, cluster, controllers, explainers, object } = options;
  const own = object.resource === 'pods' ? story.events : [];
  const names = new Set(own.map((event) => decisionOf(event, story)).filter((name): name is string => name !== undefined));
  const explained = new Map<string, ExplainedAttempt>();
  const explainerOf = (controller: string): AttemptExplainer | undefined => explainers.find((explainer) => explainer.explains(controller));
  /** Where each decision put its pod, or makes room for it, as the log says. */
  const nodes = new Map<string, string>();
  const missed = new MissedHints(cluster, object);
  const factory = factoryOf(controllers);
  const machines = new Machines({
    // Whoever explains nothing is not asked again.
    controllerOf: (name, config) => (explainerOf(name) ? factory(name, config) : undefined),
    tapes: story.tapes,
    seed: options.seed ?? story.seed,
    findings: new Findings(),
    looking(moment) {
      if (!names.has(moment.decision)) return;
      const pod = moment.cluster.byKey('pods', moment.subject);
      const decision = pod && moment.explain();
      const result = decision && explainerOf(controllerIn(moment.decision))?.attemptOf(decision);
      if (pod && result) explained.set(moment.decision, explainedAttempt(moment, pod, result));
    },
  });
  await replayLog({
    log,
    cluster,
    leavesOutOwners: true,
    beforeAppend(append, state) {
      missed.before(append, state);
      if (names.size > 0) machines.append(append, state);
      noteNode(append, names, nodes);
    },
    onFolded(frame, state) {
      telling.take(frame, state);
      if (names.size > 0) machines.folded(frame);
    },
  });
  if (names.size > 0) machines.end();
  for (const [decision, attempt] of explained) explained.set(decision, asRecorded(attempt, nodes.get(decision)));
  missed.note(attemptsOf(object, explained.values()));
  return explained;
}

/** The pod's own attempts, in the order of time. */
function attemptsOf({ namespace, name }: ObjectReference, attempts: Iterable<ExplainedAttempt>): ExplainedAttempt[] {
  return [...attempts].filter(({ pod }) => pod === `${namespace}/${name}`).sort((a, b) => a.position - b.position);
}

function noteNode(append: readonly RecordedEvent[], names: ReadonlySet<string>, nodes: Map<string, string>): void {
  const decision = (append[0]?.metadata.basis as Basis | undefined)?.decision;
  if (decision === undefined || !names.has(decision) || nodes.has(decision)) return;
  const told = append.find(({ type }) => type === 'PodScheduled' || type === 'PreemptionDecided');
  if (told) nodes.set(decision, told.data.node as string);
}

/** Every node was looked at for the explanation; what was decided is what the log says. */
function asRecorded(attempt: ExplainedAttempt, node: string | undefined): ExplainedAttempt {
  if (node === undefined || node === attempt.node) return attempt;
  const preemption = attempt.preemption && {
    ...attempt.preemption,
    candidates: attempt.preemption.candidates.map((candidate) => ({ ...candidate, chosen: candidate.node === node })),
  };
  return { ...attempt, node, preemption };
}

/** The controller whose decision it is: the first part of its name. */
function controllerIn(decision: string): string {
  return decision.slice(0, decision.indexOf('/'));
}

function decisionOf(event: RecordedEvent, story: Story): string | undefined {
  return story.decisions.get(event.position);
}
