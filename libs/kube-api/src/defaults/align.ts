import type { Json, JsonObject } from '#libs/kernel';

/**
 * A field that holds the first value of a list beside it: the same said twice. Upstream keeps one of the two inside and writes both out, so
 * that either may be given. The single value leads where the two disagree: it is what older writers know.
 */
export function alignFirst(holder: JsonObject, single: string, list: string, first: Json | undefined, wrap: (value: Json) => Json): void {
  const value = holder[single];
  if (value && value !== first) holder[list] = [wrap(value)];
  else if (!value && first) holder[single] = first;
}
