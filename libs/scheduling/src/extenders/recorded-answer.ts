import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { ExtenderAnswer, ExtenderVerb } from './extender';

const read: Record<ExtenderVerb, readonly string[]> = {
  filter: ['NodeNames', 'FailedNodes', 'FailedAndUnresolvableNodes', 'Error'],
  prioritize: [],
  preempt: ['NodeNameToMetaVictims'],
  bind: ['Error'],
};

/** Of an answer what is read of it, which is what is worth keeping: whole nodes shrink to their names. */
export function recordedAnswer(verb: ExtenderVerb, body: Json): ExtenderAnswer {
  if (Array.isArray(body)) return { body: body.filter(isObject).map((entry) => picked(entry, ['Host', 'Score'])) };
  if (!isObject(body)) return { body };
  const kept = picked(body, read[verb]);
  const items = isObject(body.Nodes) ? (body.Nodes.items ?? body.Nodes.Items) : undefined;
  if (verb === 'filter' && Array.isArray(items)) kept.Nodes = { items: items.map(nameOnly) };
  return { body: kept };
}

function picked(from: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of names) if (Object.hasOwn(from, name) && from[name] !== null) kept[name] = from[name];
  return kept;
}

function nameOnly(item: Json): Json {
  const name = isObject(item) && isObject(item.metadata) ? item.metadata.name : undefined;
  return { metadata: { name: typeof name === 'string' ? name : '' } };
}
