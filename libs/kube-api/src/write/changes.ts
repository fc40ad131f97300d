import { foldEvent } from '#libs/cluster-state';
import { fact, objectStream, type Fact } from '#libs/events';
import { deltaOf, type DeltaStep, type KubeObject } from '#libs/kernel';
import type { Prepared, StateView, Target } from './request';

type Append = Extract<Prepared, { kind: 'append' }>;

/** What a fold would make of the facts; `undefined` when the object is gone by them. */
export function foldFacts(before: KubeObject | undefined, facts: readonly Fact[], now: number): KubeObject | undefined {
  let object = before;
  for (const { type, data } of facts) object = foldEvent(object, { type, data, time: now });
  return object;
}

/**
 * The facts that turn `before` into `after`: those that say what happened, and what they leave unsaid as a patch of status
 * and of the rest. Folding them gives `after`, whatever the facts' own folds do.
 */
export function changeFacts(before: KubeObject, after: KubeObject, facts: readonly Fact[], now: number): Fact[] {
  const reached = foldFacts(before, facts, now);
  const steps = deltaOf(reached, after);
  const ofStatus: DeltaStep[] = [];
  const ofRest: DeltaStep[] = [];
  for (const step of steps) (step.p[0] === 'status' ? ofStatus : ofRest).push(step);
  const result = [...facts];
  if (ofRest.length > 0) result.push(fact('Updated', { changes: ofRest }));
  if (ofStatus.length > 0) result.push(fact('StatusUpdated', { changes: ofStatus }));
  return result;
}

/** One append to the object's stream, which is expected to be where the state saw it. */
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
