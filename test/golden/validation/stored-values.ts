// A placeholder in the body of an update stands for the value that the stored object has at its place.

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const placeholder = /<(?:uid|rv|time|microtime|nanotime|ip|nodePort|rand)(?::\d+)?>/;

interface Stored {
  metadata: { uid: string; resourceVersion: string };
}

/** The body with the stored object's values where it has placeholders. A body with one key twice cannot be parsed and keeps its times. */
export function filledIn(bodyText: string, stored: Stored): string {
  const { uid, resourceVersion } = stored.metadata;
  const identified = bodyText.replaceAll('<uid:1>', uid).replaceAll('<rv:1>', resourceVersion);
  if (!placeholder.test(identified)) return identified;
  return JSON.stringify(filled(JSON.parse(identified), stored));
}

/** Lists are walked side by side. */
function filled(body: unknown, stored: unknown): unknown {
  if (typeof body === 'string') return placeholder.test(body) && stored !== undefined ? stored : body;
  if (Array.isArray(body)) return body.map((item, index) => filled(item, (Array.isArray(stored) ? stored : [])[index]));
  if (!isPlain(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, filled(value, isPlain(stored) ? stored[key] : undefined)]));
}
