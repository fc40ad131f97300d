// A step's end, recorded and played: what was made and deleted and when, what became of each object, what was told.
import { isObject, type JsonObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import type { Bindings } from './bindings';
import { compareEvents, type EventCounts } from './events';
import type { StepFrames } from './frames';
import { comparable, recordedForm } from './recorded-form';
import type { RecordedObjects } from './recorded-objects';
import { objectName, type Frame, type Session, type Step } from './recording';
import { swapEquals } from './swap-equals';
import { unify } from './unify';
import type { Seen, World } from './world';

export interface PlayedStep {
  session: Session;
  step: Step;
  frames: StepFrames;
  world: World;
  bindings: Bindings;
  /** As of the step before; taken along here. */
  recorded: RecordedObjects;
  events: EventCounts;
}

/** Frames without a time came this soon, ms. */
const atOnceMs = 1_500;
const triggerTime = 'endpoints.kubernetes.io/last-change-trigger-time';
/** Written in every namespace, shown in few sessions. */
const rootCa = 'kube-root-ca.crt';

export function compareStep(played: PlayedStep): Difference[] {
  const { session, step, world, bindings, recorded, events } = played;
  swapEquals(played);
  const touched = recorded.follow(step.frames);
  return [
    ...compareCreated(played),
    ...compareDeleted(played),
    ...[...touched].flatMap((object) => compareObject(played, object)),
    ...[...alsoChanged(played, touched)].map((text) => ({ path: 'frames', text })),
    ...compareEvents({ frames: step.frames, played: [...events.changed(world.events())], bindings, session }),
  ];
}

/** Objects that controllers changed here alone. */
function alsoChanged(played: PlayedStep, touched: ReadonlySet<string>): Set<string> {
  const { session, step, frames, world, bindings } = played;
  const names = new Set([...touched].map((object) => keyOf(resolved(object, session, bindings))));
  const told = new Set<string>();
  // Of several budgets over a pod a real controller counts only one again, chosen by chance.
  const isOverlapping = step.frames.some(({ event }) => event?.reason === 'MultiplePodDisruptionBudgets');
  for (const seen of frames.seen(world)) {
    if (seen.type !== 'MODIFIED' || seen.by === 'session' || names.has(keyOf(seen)) || !isRelevant(seen, session)) continue;
    if (isOverlapping && seen.kind === 'PodDisruptionBudget') continue;
    told.add(`played ${seen.kind}/${seen.name} changed by ${seen.by}, not recorded`);
  }
  return told;
}

function compareCreated({ session, step, frames, world, bindings }: PlayedStep): Difference[] {
  const differences: Difference[] = [];
  for (const frame of step.frames) {
    if (frame.type !== 'ADDED' || frame.event) continue;
    const matched = frames.matched.get(frame);
    if (!matched) {
      // Made before the first step, and shown with it.
      if (frame.by === 'session' && world.object(resolved(frame.object, session, bindings))) continue;
      differences.push({ path: 'created', text: `recorded ${bindings.resolveText(frame.object)} by ${frame.by}, not played` });
      continue;
    }
    const { seen } = matched;
    if (!isSameWriter(frame.by, seen.by))
      differences.push({ path: `created.${frame.object}`, text: `recorded by ${frame.by}, played by ${seen.by}` });
    differences.push(...timeDifference(`created.${frame.object}`, frame, seen, step, bindings));
    for (const { path, text } of matched.differences) differences.push({ path: `created.${frame.object}.${path}`, text });
  }
  for (const seen of frames.unmatched(world)) {
    if (seen.by === 'session' || !isRelevant(seen, session)) continue;
    differences.push({ path: 'created', text: `played ${seen.kind}/${seen.name} by ${seen.by}, not recorded` });
  }
  return differences;
}

function compareDeleted(played: PlayedStep): Difference[] {
  const { session, step, frames, world, bindings } = played;
  const gone = [...frames.seen(world)].filter(({ type }) => type === 'DELETED');
  const differences: Difference[] = [];
  for (const frame of step.frames) {
    if (frame.type !== 'DELETED') continue;
    const key = keyOf(resolved(frame.object, session, bindings));
    const index = gone.findIndex((seen) => keyOf(seen) === key);
    const [seen] = index < 0 ? [] : gone.splice(index, 1);
    if (!seen) {
      differences.push({ path: 'deleted', text: `recorded ${bindings.resolveText(frame.object)} by ${frame.by}, not played` });
      continue;
    }
    differences.push(...timeDifference(`deleted.${frame.object}`, frame, seen, step, bindings));
  }
  for (const seen of gone) {
    if (seen.by === 'session' || !isRelevant(seen, session)) continue;
    differences.push({ path: 'deleted', text: `played ${seen.kind}/${seen.name} by ${seen.by}, not recorded` });
  }
  return differences;
}

function compareObject({ session, step, world, bindings, recorded }: PlayedStep, object: string): Difference[] {
  const wanted = recorded.get(object);
  const name = resolved(object, session, bindings);
  const got = world.object(name);
  if (!wanted) return got && !wasMadeAnew(step, object) ? [{ path: object, text: 'recorded as gone, played as there' }] : [];
  if (!got) return [{ path: object, text: 'recorded as there, played as gone' }];
  const writes = step.frames.filter((frame) => frame.object === object).length;
  const shape = (form: JsonObject): JsonObject => shaped(form, name.kind, writes);
  const { differences, found } = unify(shape(comparable(wanted, name.kind)), shape(recordedForm(got, name.kind)), bindings);
  bindings.learn(found);
  return differences.map(({ path, text }) => ({ path: `${object}.${path}`, text }));
}

/** Gone and there again under the same name, as a set's pods are. */
function wasMadeAnew(step: Step, object: string): boolean {
  return step.frames.findLast((frame) => frame.object === object)?.type !== 'DELETED';
}

/** Without what depends on how many writes fall together. */
function shaped(form: JsonObject, kind: string, writes: number): JsonObject {
  const { annotations } = (form.metadata ?? {}) as { annotations?: JsonObject };
  if (annotations && writes > 1) {
    delete annotations[triggerTime];
    if (Object.keys(annotations).length === 0) delete (form.metadata as JsonObject).annotations;
  }
  if ((kind === 'EndpointSlice' || kind === 'Endpoints') && isObject(form.metadata)) delete form.metadata.generation;
  return form;
}

function timeDifference(path: string, { after }: Frame, { time }: Seen, step: Step, bindings: Bindings): Difference[] {
  const lastRequest = Math.max(0, ...step.requests.map((request) => request.after ?? 0));
  const base = bindings.moments.begin(step.step) + (step.wait === undefined ? lastRequest * 1_000 : 0);
  const isSo =
    after === undefined
      ? time <= bindings.moments.begin(step.step) + lastRequest * 1_000 + atOnceMs + bindings.moments.toleranceMs / 2
      : Math.abs(time - base - after * 1_000) <= bindings.moments.toleranceMs;
  return isSo ? [] : [{ path: `${path}.after`, text: `recorded ${after ?? 0} s, played ${((time - base) / 1_000).toFixed(1)} s` }];
}

/** Within another request, or by the component that it goes by. */
function isSameWriter(recorded: string | undefined, played: string): boolean {
  return recorded === played || recorded === 'apiserver' || played === 'apiserver';
}

function isRelevant({ kind, namespace, name }: Seen, session: Session): boolean {
  if (namespace !== '' && namespace !== session.session) return false;
  const shown = shownIn(session);
  if (kind === 'ConfigMap' && name === rootCa) return shown.objects.has(`ConfigMap/${rootCa}`);
  return shown.kinds.has(kind);
}

const shownOf = new WeakMap<Session, { kinds: Set<string>; objects: Set<string> }>();

function shownIn(session: Session): { kinds: Set<string>; objects: Set<string> } {
  let shown = shownOf.get(session);
  if (!shown) {
    const objects = new Set(session.steps.flatMap(({ frames }) => frames.map(({ object }) => object)));
    shown = { objects, kinds: new Set([...objects].map((object) => objectName(object, session.session).kind)) };
    shownOf.set(session, shown);
  }
  return shown;
}

function resolved(object: string, session: Session, bindings: Bindings): ReturnType<typeof objectName> {
  const { kind, namespace, name } = objectName(object, session.session);
  return { kind, namespace, name: bindings.resolveText(name) };
}

function keyOf({ kind, name }: { kind: string; name: string }): string {
  return `${kind}/${name}`;
}
