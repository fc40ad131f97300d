// A placeholder in the body of an update, or of a patch, stands for the value that the stored object has at its place.

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const placeholder = /<(?:uid|rv|time|microtime|nanotime|ip|nodePort|rand)(?::\d+)?>/;

export interface Stored {
  metadata: { uid: string; resourceVersion: string };
}

/** The body with the stored object's values where it has placeholders. What parsing would lose of it (a key twice, a great number) stays. */
export function filledIn(bodyText: string, stored: Stored): string {
  const { uid, resourceVersion } = stored.metadata;
  const identified = bodyText.replaceAll('<uid:1>', uid).replaceAll('<rv:1>', resourceVersion);
  if (!placeholder.test(identified)) return identified;
  const body: unknown = JSON.parse(identified);
  const values = isJsonPatch(body) ? body.map((operation) => filledOperation(operation, stored)) : filled(body, stored);
  if (JSON.stringify(body) === identified) return JSON.stringify(values);
  const filledPlaces = placesOf(body, values).filter(({ text }) => placeholder.test(text));
  let last: unknown;
  // A key that is there twice has more places than values.
  const next = (): unknown => (last = filledPlaces.shift()?.value ?? last);
  return identified.replace(quoted, (text) => (placeholder.test(text) ? JSON.stringify(next()) : text));
}

const quoted = /"(?:[^"\\]|\\.)*"/g;

/** Every text of a body with what takes its place, in the order of the document. */
function placesOf(body: unknown, values: unknown): { text: string; value: unknown }[] {
  if (typeof body === 'string') return [{ text: body, value: values }];
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([key, item]) => placesOf(item, memberOf(values, key)));
}

interface Operation {
  path: string;
  value: unknown;
}

const isJsonPatch = (body: unknown): body is Operation[] =>
  Array.isArray(body) && body.every((item) => isPlain(item) && typeof item['path'] === 'string');

/** The operation says itself which place its value is for. */
function filledOperation(operation: Operation, stored: unknown): unknown {
  if (!('value' in operation)) return operation;
  const place = operation.path.split('/').slice(1);
  return { ...operation, value: filled(operation.value, place.reduce(memberOf, stored)) };
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** An item that is there twice has its values from the same place. */
function filledItems(items: readonly unknown[], stored: readonly unknown[]): unknown[] {
  const texts = items.map((item) => JSON.stringify(item));
  return items.map((item, index) => filled(item, stored[index] ?? stored[texts.indexOf(texts[index] as string)]));
}

/** Lists are walked side by side. */
function filled(body: unknown, stored: unknown): unknown {
  if (typeof body === 'string') return placeholder.test(body) && stored !== undefined ? stored : body;
  if (Array.isArray(body)) return filledItems(body, Array.isArray(stored) ? stored : []);
  if (!isPlain(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, filled(value, isPlain(stored) ? stored[key] : undefined)]));
}
