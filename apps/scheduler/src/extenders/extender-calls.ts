import type { OutsideCalls, Reply } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { recordedAnswer, type ExtenderCall } from '#libs/scheduling';

/** Sends a question and gives what came back: the body of a 200, or why there is none. Never rejects. */
export type ExtenderSender = (call: ExtenderCall) => Promise<Reply>;

/** The questions of a scheduler to its extenders. */
export function extenderCalls(scheduler: string, send: ExtenderSender): OutsideCalls<ExtenderCall> {
  return {
    asker: scheduler,
    stream: 'scheduler-decisions',
    asked: 'ExtenderAsked',
    send,
    answered: ({ data }, { verb }, reply) => {
      const { ask, question, namespace, pod, uid } = data as Record<'ask' | 'question' | 'namespace' | 'pod' | 'uid', string>;
      const answer = 'error' in reply ? reply : recordedAnswer(verb, reply.body);
      return fact('ExtenderAnswered', { ask, question, namespace, pod, uid, answer: answer as unknown as JsonObject });
    },
  };
}
