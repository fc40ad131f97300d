// Transcripts that show owners of fields: upstream puts them in the order of their times, which are whole seconds, and writers of the
// same second in that of their names. So the order depends on when a second began; it is left open, all else is compared.
type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const nameOf = (entry: unknown): string =>
  isObject(entry) ? [entry['manager'], entry['operation'], entry['subresource'], JSON.stringify(entry['fieldsV1'])].join(' ') : '';

function sortManagers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortManagers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isManagers = key === 'managedFields' && Array.isArray(inner);
      return [key, isManagers ? inner.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : sortManagers(inner)];
    }),
  );
}

/** The status of an object whose pods are coming up is of that moment, and so is which fields of it have been written. */
function withoutStatus(document: unknown): unknown {
  if (!isObject(document)) return document;
  const { status: _, ...rest } = document;
  const text = JSON.stringify(rest, (key, value: unknown) => (key === 'f:status' ? undefined : value));
  return JSON.parse(text) as unknown;
}

const quoted = /^(.*?patch: Invalid value: )("(?:[^"\\]|\\.)*")(.*)$/s;

/** JSON that kubectl printed, or an error text that quotes an object, with its owners in one order; other text as it is. */
export function withManagersInOrder(text: string): string {
  if (!text.includes('managedFields')) return text;
  try {
    if (text.trimStart().startsWith('{')) return `${JSON.stringify(sortManagers(JSON.parse(text)), undefined, 4)}\n`;
    const [, before = '', document, behind = ''] = quoted.exec(text) ?? [];
    if (document === undefined) return text;
    const object = withoutStatus(JSON.parse(JSON.parse(document) as string));
    return `${before}${JSON.stringify(JSON.stringify(sortManagers(object)))}${behind}`;
  } catch {
    return text;
  }
}
