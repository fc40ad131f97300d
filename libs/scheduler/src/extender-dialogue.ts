import type { ClusterState } from '#libs/cluster-state';
import { fact, jsonDigest, type Fact } from '#libs/events';
import type { Chance, KubeObject } from '#libs/kernel';
import type { ExtenderAnswer, ExtenderCall } from '#libs/scheduling';

/** A cluster that changes faster than its extenders answer would be asked about for ever. */
const questionsPerExtender = 12;

type Dialogue = NonNullable<ReturnType<ClusterState['decisions']['dialogues']['get']>>;

/** The questions and answers of the attempt that began with this decision. Answers to another attempt of the pod are not used. */
export function dialogueOf(cluster: ClusterState, pod: KubeObject, attemptName: string | undefined): Dialogue | undefined {
  const dialogue = cluster.decisions.dialogues.get(pod.metadata.uid);
  return dialogue?.attempt === attemptName ? dialogue : undefined;
}

export function mayAskAgain(dialogue: Dialogue | undefined, extenderCount: number): boolean {
  return (dialogue?.questions.size ?? 0) < questionsPerExtender * extenderCount;
}

/** An answer counts for the question it was given to: where the cluster has changed since, the extender is asked again. */
export function answerIn(dialogue: Dialogue | undefined, call: ExtenderCall, isExplanation: boolean): ExtenderAnswer | undefined {
  if (!dialogue) return undefined;
  const asked = isExplanation ? undefined : jsonDigest(call.body);
  for (const { extender, verb, question, answer } of dialogue.questions.values()) {
    if (answer === undefined || extender !== call.extender || verb !== call.verb) continue;
    // For an explanation more nodes are looked at than the extender was asked about.
    if (isExplanation || question === asked) return answer as unknown as ExtenderAnswer;
  }
  return undefined;
}

/** What the extender said to this question of the pod's; undefined: nothing yet. */
export function answerTo(cluster: ClusterState, uid: string, ask: string): { extender: number; answer: ExtenderAnswer } | undefined {
  const question = cluster.decisions.dialogues.get(uid)?.questions.get(ask);
  return question?.answer === undefined ? undefined : { extender: question.extender, answer: question.answer as unknown as ExtenderAnswer };
}

/** @param attempt the decision that the attempt began with. @param node of a pod that the extender is to bind */
export function extenderAsked(pod: KubeObject, call: ExtenderCall, ask: string, attempt: string, node?: string): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const { extender, verb, url, body } = call;
  const question = jsonDigest(body);
  return fact('ExtenderAsked', {
    ask,
    attempt,
    namespace,
    pod: name,
    uid,
    extender,
    verb,
    url,
    question,
    ...(node === undefined ? {} : { node }),
  });
}

/**
 * The draws of an attempt. An attempt that waited for an extender is made again from its beginning: it repeats the draws of its earlier
 * part, each brought below the bound that it has now, and draws anew behind them.
 */
export class Draws {
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
