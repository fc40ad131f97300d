// A placeholder in the body of an update stands for the value that the stored object has at its place.

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const placeholder = /<(?:uid|rv|time|microtime|nanotime|ip|nodePort|rand)(?::\d+)?>/;

/** The body with the stored object's values where it has placeholders; lists are walked side by side. */
export function filledIn(body: unknown, stored: unknown): unknown {
  if (typeof body === 'string') return placeholder.test(body) && stored !== undefined ? stored : body;
  if (Array.isArray(body)) return body.map((item, index) => filledIn(item, (Array.isArray(stored) ? stored : [])[index]));
  if (!isPlain(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, filledIn(value, isPlain(stored) ? stored[key] : undefined)]));
}
