import { valuesOf, type Schema } from '../schema/schema';

/** A way below a schema, as messages write it: `.spec.x`, `['a b']`; undefined: it leads to no property. */
export function normalizeFieldPath(path: string, schema: Schema): string | undefined {
  let normalized = '';
  let below: Schema | undefined = schema;
  for (const name of namesOf(path) ?? [undefined]) {
    if (name === undefined || !below) return undefined;
    if (below.properties) {
      if (!Object.hasOwn(below.properties, name)) return undefined;
      normalized += normalized === '' ? name : `.${name}`;
      below = below.properties[name];
    } else {
      if (below.additionalProperties === undefined) return undefined;
      normalized += `[${name}]`;
      below = valuesOf(below);
    }
  }
  return normalized === '' ? undefined : normalized;
}

const part = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
/** What stands behind a backslash in a quoted name of such a way, and what it means. */
export const fieldPathEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/** The names in `.a['b c']`; undefined: it is not written so. */
function namesOf(path: string): string[] | undefined {
  const names: string[] = [];
  for (let index = 0; index < path.length; index = part.lastIndex) {
    part.lastIndex = index;
    const found = part.exec(path);
    if (!found) return undefined;
    const quoted = found[2];
    if (quoted !== undefined && /\\[^abfnrtv'\\]/.test(quoted)) return undefined;
    names.push(found[1] ?? (quoted as string).replaceAll(/\\(.)/g, (_, letter: string) => fieldPathEscapes[letter] as string));
  }
  return names.length === 0 ? undefined : names;
}
