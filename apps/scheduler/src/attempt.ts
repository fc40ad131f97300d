import type { ClusterState } from '#libs/cluster-state';
import type { DecisionContext } from '#libs/control-loop';
import { jsonDigest } from '#libs/events';
import type { Chance, JsonObject, KubeObject } from '#libs/kernel';
import {
  podInfoOf,
  prepareBinding,
  schedulePod,
  type AttemptResult,
  type ExtenderAnswer,
  type ExtenderCall,
  type PreparedBinding,
} from '#libs/scheduling';
import type { AttemptInputs, SchedulerState } from './scheduler-state';

/** How an attempt ends, or the question that it cannot go on without. */
export type Attempted =
  { kind: 'ended'; result: AttemptResult; prepared?: PreparedBinding } | { kind: 'ask'; call: ExtenderCall; draws: readonly number[] };

export interface Attempting {
  cluster: ClusterState;
  context: DecisionContext;
  inputs: AttemptInputs;
  /** Every node is looked at, for explanations. */
  evaluateAll?: boolean;
}

/** A cluster that changes faster than its extenders answer would be asked about for ever. */
const questionsPerExtender = 12;

/** One attempt from state, basis and recorded answers alone. Undefined: no profile is the pod's. */
export function attempt(
  state: SchedulerState,
  pod: KubeObject,
  { cluster, context, inputs, evaluateAll = false }: Attempting,
): Attempted | undefined {
  const profile = state.profiles.get(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
  if (!profile) return undefined;
  const { configuration } = state.profiles;
  const { extenders } = configuration;
  const draws = new Draws(context.chance, inputs.draws ?? []);
  const snapshot = state.cache.snapshot();
  const dialogue = dialogueOf(cluster, pod, inputs.attempt);
  const result = schedulePod(snapshot, pod, {
    profile,
    percentageOfNodesToScore: configuration.percentageOfNodesToScore,
    nominated: state.queue.nominator,
    chance: (bound) => draws.next(bound),
    nextStartNodeIndex: inputs.start,
    now: context.now,
    evaluateAll,
    ...(extenders.length === 0 ? {} : { extenders, extenderAnswers: (call: ExtenderCall) => answerIn(dialogue, call, evaluateAll) }),
  });
  if (result.kind === 'ask') {
    if ((dialogue?.questions.size ?? 0) < questionsPerExtender * extenders.length)
      return { kind: 'ask', call: result.call, draws: draws.made };
    return { kind: 'ended', result: tooManyQuestions(result.call, inputs.start) };
  }
  if (result.kind !== 'bound' || evaluateAll || !profile.hasBindingWork(podInfoOf(pod))) return { kind: 'ended', result };
  const prepared = prepareBinding(snapshot, pod, result, profile);
  return prepared.kind === 'prepared' ? { kind: 'ended', result, prepared } : { kind: 'ended', result: prepared };
}

/** Of the attempt that began with this decision; what another one was answered is not this one's to use. */
function dialogueOf(cluster: ClusterState, pod: KubeObject, attemptName: string | undefined) {
  const dialogue = cluster.decisions.dialogues.get(pod.metadata.uid);
  return dialogue?.attempt === attemptName ? dialogue : undefined;
}

/** An answer counts for the question it was given to: where the cluster has changed since, the extender is asked again. */
function answerIn(dialogue: ReturnType<typeof dialogueOf>, call: ExtenderCall, isExplanation: boolean): ExtenderAnswer | undefined {
  if (!dialogue) return undefined;
  const asked = isExplanation ? undefined : jsonDigest(call.body);
  for (const { extender, verb, question, answer } of dialogue.questions.values()) {
    if (answer === undefined || extender !== call.extender || verb !== call.verb) continue;
    // For an explanation more nodes are looked at than the extender was asked about.
    if (isExplanation || question === asked) return answer as unknown as ExtenderAnswer;
  }
  return undefined;
}

function tooManyQuestions({ url }: ExtenderCall, nextStartNodeIndex: number): AttemptResult {
  return {
    kind: 'error',
    message: `the cluster changed each time the extender at ${url} was asked`,
    reason: 'SchedulerError',
    nextStartNodeIndex,
  };
}

/** What chance said in the earlier parts of the attempt is said again, as far as there are as many to choose from. */
class Draws {
  readonly made: number[] = [];

  constructor(
    private readonly chance: Chance,
    private readonly carried: readonly number[],
  ) {}

  next(bound: number): number {
    const place = this.made.length;
    const before = this.carried[place];
    const drawn = before === undefined ? this.chance.index(bound, `tie/${place}`) : before % bound;
    this.made.push(drawn);
    return drawn;
  }
}

/** As the basis of a decision has them. */
export function inputsOf(inputs: JsonObject | undefined): AttemptInputs {
  return { start: 0, poppedFrom: 'active', ...(inputs as Partial<AttemptInputs> | undefined) };
}
