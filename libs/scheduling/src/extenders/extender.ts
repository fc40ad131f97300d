import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { Extender } from '../config/types';
import type { RawContainer } from '../framework/kube-types';
import type { PodInfo } from '../framework/pod-info';

export type ExtenderVerb = 'filter' | 'prioritize' | 'preempt' | 'bind';

/** A question to an extender: to be sent as a POST of `body` to `url`. */
export interface ExtenderCall {
  /** Place in the configuration's list. */
  readonly extender: number;
  readonly verb: ExtenderVerb;
  readonly url: string;
  readonly timeoutMs: number;
  readonly body: JsonObject;
}

/** What came back: the body of a 200 answer, or why there is none. */
export type ExtenderAnswer = { readonly body: Json } | { readonly error: string };

/**
 * Answers that are known already: in the order the questions are asked in one attempt, or by question. At the first question
 * without an answer the attempt ends with it; ask it, and make the attempt again with one answer more and the same chance.
 */
export type ExtenderAnswers = readonly ExtenderAnswer[] | ((call: ExtenderCall) => ExtenderAnswer | undefined);

/** Ends an attempt that cannot go on without an answer. */
export class ExtenderQuestion extends Error {
  constructor(readonly call: ExtenderCall) {
    super(`extender ${call.extender} has to be asked first`);
  }
}

/** The question as it is to be sent. */
export function callOf(extenders: readonly Extender[], place: number, verb: ExtenderVerb, body: JsonObject): ExtenderCall {
  const { urlPrefix, httpTimeoutMs, filterVerb, prioritizeVerb, preemptVerb, bindVerb } = extenders[place] as Extender;
  const path = { filter: filterVerb, prioritize: prioritizeVerb, preempt: preemptVerb, bind: bindVerb }[verb];
  return { extender: place, verb, url: `${urlPrefix}/${path}`, timeoutMs: httpTimeoutMs, body };
}

/** The extenders of an attempt, with what they answered so far. */
export class ExtenderDialogue {
  private asked = 0;

  constructor(
    readonly extenders: readonly Extender[],
    private readonly answers: ExtenderAnswers,
  ) {}

  /** The answer's object, or a text: the error. */
  ask(extender: number, verb: ExtenderVerb, body: JsonObject): JsonObject | Json[] | string {
    const call = callOf(this.extenders, extender, verb, body);
    const answer = typeof this.answers === 'function' ? this.answers(call) : this.answers[this.asked++];
    if (answer === undefined) throw new ExtenderQuestion(call);
    if ('error' in answer) return answer.error;
    return isObject(answer.body) || Array.isArray(answer.body) ? answer.body : `extender answered with ${JSON.stringify(answer.body)}`;
  }
}

/** An extender that manages resources looks only at pods that ask for one of them. */
export function isInterested(extender: Extender, pod: PodInfo): boolean {
  if (extender.managedResources.length === 0) return true;
  const managed = new Set(extender.managedResources.map((resource) => resource.name));
  const asks = ({ resources }: RawContainer): boolean =>
    Object.keys({ ...resources?.requests, ...resources?.limits }).some((resource) => managed.has(resource));
  return [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].some(asks);
}
