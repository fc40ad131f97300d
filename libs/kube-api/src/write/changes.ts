import { conditionChanges, foldEvent } from '#libs/cluster-state';
import { fact, objectStream, type Fact } from '#libs/events';
import { patchOf, type Json, type JsonObject, type JsonPatch, type KubeObject } from '#libs/kernel';
import type { Prepared, StateView, Target } from './request';

type Append = Extract<Prepared, { kind: 'append' }>;

/** The object with the facts folded into it; `undefined` when they delete it. @param now cluster time, ms */
export function foldFacts(before: KubeObject | undefined, facts: readonly Fact[], now: number): KubeObject | undefined {
  let object = before;
  for (const { type, data } of facts) object = foldEvent(object, { type, data, time: now });
  return object;
}

/**
 * The events that turn `before` into `after`: first the given facts, which say what happened. Where folding these does not give `after`,
 * a patch follows: `Updated` for what differs outside of the status, `StatusUpdated` for what differs in it.
 * @param now cluster time, ms
 */
export function changeFacts(before: KubeObject, after: KubeObject, facts: readonly Fact[], now: number): Fact[] {
  const reached = foldFacts(before, facts, now) as KubeObject;
  const conditions = conditionsLeft(reached, after, now);
  const ofStatus: JsonPatch = [];
  const ofRest: JsonPatch = [];
  for (const operation of patchOf(conditions ? withConditionsOf(reached, after) : reached, after))
    (operation.path === '/status' || operation.path.startsWith('/status/') ? ofStatus : ofRest).push(operation);
  const result = [...facts];
  if (ofRest.length > 0) result.push(fact('Updated', { patch: ofRest }));
  if (ofStatus.length > 0 || conditions?.length)
    result.push(
      fact('StatusUpdated', { ...(conditions?.length ? { conditions } : {}), ...(ofStatus.length > 0 ? { patch: ofStatus } : {}) }),
    );
  return result;
}

/** Conditions that still differ, by type; undefined where they cannot be told by type, and the patch has to replace the list. */
function conditionsLeft(reached: KubeObject, after: KubeObject, now: number): JsonObject[] | undefined {
  const is: unknown = reached.status?.conditions;
  const wanted: unknown = after.status?.conditions;
  return Array.isArray(is) && Array.isArray(wanted) && is !== wanted ? conditionChanges(is as Json[], wanted as Json[], now) : undefined;
}

function withConditionsOf(reached: KubeObject, { status }: KubeObject): KubeObject {
  return { ...reached, status: { ...reached.status, conditions: status?.conditions } };
}

/** One append to the object's stream; expects the stream's revision that the state has folded, so that a change in between refuses it. */
export function appendTo(
  state: StateView,
  target: Target,
  frames: Fact[][],
  object: KubeObject,
  options: { created?: boolean; warnings?: string[] } = {},
): Append {
  const stream = objectStream(state.cluster, target.resource, target.namespace, target.name);
  const expected = state.head(stream)?.revision ?? 'no_stream';
  return { kind: 'append', stream, expected, frames, object, created: options.created ?? false, warnings: options.warnings ?? [] };
}
