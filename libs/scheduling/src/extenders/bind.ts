import type { KubeObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { Extender } from '../config/types';
import { podInfoOf } from '../framework/pod-info';
import type { ExtenderAnswer, ExtenderCall } from './extender';
import { callOf, isInterested } from './extender';

/** What to ask the extender that binds this pod; undefined when none does, and the scheduler binds it itself. */
export function bindCall(extenders: readonly Extender[], pod: KubeObject, node: string): ExtenderCall | undefined {
  for (const [place, extender] of extenders.entries()) {
    if (extender.bindVerb === '' || !isInterested(extender, podInfoOf(pod))) continue;
    const { namespace = '', name, uid } = pod.metadata;
    return callOf(extenders, place, 'bind', { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node });
  }
  return undefined;
}

/** The extender wrote the binding (undefined), or why it did not. */
export function bindError(answer: ExtenderAnswer): string | undefined {
  if ('error' in answer) return answer.error;
  if (!isObject(answer.body)) return `extender answered bind with ${JSON.stringify(answer.body)}`;
  const { Error: error } = answer.body;
  return typeof error === 'string' && error !== '' ? error : undefined;
}
