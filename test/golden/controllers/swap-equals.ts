// Which of pods that are equal in all that counts goes first is chance: those that changed places do so in the play's names.
import { isObject, type JsonObject } from '#libs/kernel';
import { Bindings } from './bindings';
import type { PlayedStep } from './compare-step';
import type { Moments } from './moments';
import type { RecordedObjects } from './recorded-objects';
import type { Frame } from './recording';

export function swapEquals({ step, frames, world, bindings, recorded }: PlayedStep): void {
  const goneRecorded = new Set(step.frames.filter((frame) => isGoing(frame)).map(({ object }) => object));
  const gonePlayed = new Set<string>();
  for (const { type, kind, name, object, before } of frames.seen(world)) {
    if (kind === 'Pod' && (type === 'DELETED' || (object.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp)))
      gonePlayed.add(name);
  }
  const byName = new Map([...recorded.names('Pod/')].map((object) => [bindings.resolveText(object.slice('Pod/'.length)), object]));
  const now = bindings.moments.end(step.step);
  const areAlike = (one: string, another: string): boolean => {
    const [a, b] = [recorded.get(one), recorded.get(another)];
    return !!a && !!b && areEqual(a, b, now, bindings.moments);
  };
  for (const object of goneRecorded) {
    if (gonePlayed.has(bindings.resolveText(object.slice('Pod/'.length)))) continue;
    for (const name of gonePlayed) {
      const other = byName.get(name);
      if (other === undefined || goneRecorded.has(other) || !areAlike(object, other)) continue;
      swap(object, other, bindings, recorded);
      gonePlayed.delete(name);
      break;
    }
  }
}

function isGoing({ type, object, by, change }: Frame): boolean {
  if (!object.startsWith('Pod/') || by === 'session') return false;
  return type === 'DELETED' || (isObject(change?.metadata) && change.metadata.deletionTimestamp !== undefined);
}

function swap(one: string, other: string, bindings: Bindings, recorded: RecordedObjects): void {
  const [a, b] = [recorded.get(one) ?? {}, recorded.get(other) ?? {}];
  bindings.swap([...Bindings.tokensIn(one), uidOf(a)], [...Bindings.tokensIn(other), uidOf(b)]);
  for (const field of ['podIP', 'hostIP']) bindings.exchange(textAt(a, 'status', field), textAt(b, 'status', field));
  const [nodeOfA, nodeOfB] = [textAt(a, 'spec', 'nodeName'), textAt(b, 'spec', 'nodeName')];
  if (nodeOfA === nodeOfB) return;
  recorded.set(one, withNode(a, nodeOfB));
  recorded.set(other, withNode(b, nodeOfA));
}

function withNode(pod: JsonObject, nodeName: string | undefined): JsonObject {
  const { nodeName: _, ...spec } = (pod.spec ?? {}) as JsonObject;
  return { ...pod, spec: nodeName === undefined ? spec : { ...spec, nodeName } };
}

/** In all that counts: ages count by their order of magnitude (upstream's feature LogarithmicScaleDown), and then chance decides. */
function areEqual(one: JsonObject, other: JsonObject, now: number, moments: Moments): boolean {
  if (essence(one) !== essence(other)) return false;
  const [a, b] = [one, other].map((pod) => now - turnedReady(pod, moments));
  return Math.abs(Math.log2(Math.max(a as number, 1_000)) - Math.log2(Math.max(b as number, 1_000))) < 2;
}

function essence({ metadata, status }: JsonObject): string {
  const { labels, annotations, ownerReferences, deletionTimestamp } = (metadata ?? {}) as JsonObject;
  const { phase, containerStatuses } = (status ?? {}) as JsonObject;
  const restarts = ((containerStatuses ?? []) as JsonObject[]).map(({ restartCount }) => restartCount);
  const turned = conditionsOf({ status } as JsonObject).map(({ type, status: is }) => [type, is]);
  return JSON.stringify([labels, annotations, ownerReferences, deletionTimestamp, phase, turned, restarts]);
}

function turnedReady(pod: JsonObject, moments: Moments): number {
  const since = conditionsOf(pod).find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return (typeof since === 'string' ? moments.of(since) : undefined) ?? 0;
}

function conditionsOf({ status }: JsonObject): JsonObject[] {
  return ((status as JsonObject | undefined)?.conditions ?? []) as JsonObject[];
}

function uidOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject | undefined)?.uid ?? '');
}

function textAt(object: JsonObject, part: string, field: string): string | undefined {
  const value = (object[part] as JsonObject | undefined)?.[field];
  return typeof value === 'string' ? value : undefined;
}
