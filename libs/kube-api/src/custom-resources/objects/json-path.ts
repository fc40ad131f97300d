import { isObject, jsonEqual, type Json } from '#libs/kernel';

/*
 * JSON paths as kubectl and the columns of custom kinds have them (client-go, `util/jsonpath`): `.spec.size`, `.items[0]`, `['a.b']`, `[*]`,
 * `[1:3]`, `..name`, `[?(@.type=="Ready")]`.
 */

type Step =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'every' }
  | { readonly is: 'deep' }
  | { readonly is: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'filter'; readonly test: (item: Json) => boolean };

/** Gives every value that the path leads to; undefined: the path cannot be followed. */
export type JsonPath = (value: Json) => readonly Json[] | undefined;

const kept = new Map<string, JsonPath | undefined>();
const keptMax = 1_000;

/** Undefined: this is no path. */
export function jsonPath(text: string): JsonPath | undefined {
  if (kept.has(text)) return kept.get(text);
  if (kept.size >= keptMax) kept.clear();
  const steps = readSteps(text);
  const path: JsonPath | undefined = steps && ((value) => followed(steps, [value]));
  kept.set(text, path);
  return path;
}

function followed(steps: readonly Step[], values: readonly Json[]): readonly Json[] | undefined {
  let found: readonly Json[] = values;
  for (const step of steps) {
    const next: Json[] = [];
    for (const value of found) {
      const more = taken(step, value);
      if (!more) return undefined;
      next.push(...more);
    }
    found = next;
  }
  return found;
}

/** Undefined: the value is nothing that the step could be taken from. A field that is missing is none. */
function taken(step: Step, value: Json): readonly Json[] | undefined {
  switch (step.is) {
    case 'field':
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name] as Json] : [];
    case 'every':
      return Array.isArray(value) ? value : isObject(value) ? (Object.values(value) as Json[]) : [];
    case 'deep':
      return descendants(value);
    case 'index': {
      if (value === null) return [];
      if (!Array.isArray(value)) return undefined;
      const index = step.index < 0 ? value.length + step.index : step.index;
      return index >= 0 && index < value.length ? [value[index] as Json] : undefined;
    }
    case 'slice': {
      if (value === null) return [];
      if (!Array.isArray(value)) return undefined;
      const place = (given: number | undefined, otherwise: number): number =>
        given === undefined ? otherwise : given < 0 ? value.length + given : Math.min(given, value.length);
      const items = value.slice(place(step.from, 0), place(step.to, value.length));
      return items.filter((_, index) => index % step.by === 0);
    }
    case 'filter':
      if (value === null) return [];
      return Array.isArray(value) ? value.filter(step.test) : undefined;
  }
}

function descendants(value: Json): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Array.isArray(value) ? value : (Object.values(value) as Json[]);
  return [value, ...below.flatMap(descendants)];
}

const name = /^[^.[\]\s\\]*(?:\\.[^.[\]\s\\]*)*/;

function readSteps(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '') {
    if (rest.startsWith('..')) {
      steps.push({ is: 'deep' });
      rest = rest.slice(1);
      if (rest.startsWith('.[')) rest = rest.slice(1);
    } else if (rest.startsWith('.') || steps.length === 0) {
      if (rest.startsWith('.')) rest = rest.slice(1);
      const [field = ''] = name.exec(rest) ?? [];
      rest = rest.slice(field.length);
      if (field === '*') steps.push({ is: 'every' });
      else if (field !== '') steps.push({ is: 'field', name: field.replaceAll(/\\(.)/g, '$1') });
      else if (rest !== '' && !rest.startsWith('[')) return undefined;
    } else if (!rest.startsWith('[')) return undefined;
    if (!rest.startsWith('[')) continue;
    const end = closing(rest);
    const step = end > 0 ? readBrackets(rest.slice(1, end)) : undefined;
    if (!step) return undefined;
    steps.push(step);
    rest = rest.slice(end + 1);
  }
  return steps;
}

/** Where the bracket at the beginning closes, past quotes and brackets within. */
function closing(text: string): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at;
  }
  return -1;
}

function readBrackets(text: string): Step | undefined {
  const inner = text.trim();
  if (inner === '*') return { is: 'every' };
  const quoted = /^(['"])(.*)\1$/s.exec(inner);
  if (quoted) return { is: 'field', name: quoted[2] as string };
  if (/^-?\d+$/.test(inner)) return { is: 'index', index: Number(inner) };
  const slice = /^(-?\d+)?:(-?\d+)?(?::(\d+))?$/.exec(inner);
  if (slice) {
    const bound = (given: string | undefined): number | undefined => (given === undefined ? undefined : Number(given));
    return { is: 'slice', from: bound(slice[1]), to: bound(slice[2]), by: Math.max(1, bound(slice[3]) ?? 1) };
  }
  const filter = /^\?\((.*)\)$/s.exec(inner);
  const test = filter && readFilter(filter[1] as string);
  return test ? { is: 'filter', test } : undefined;
}

const comparison = /^(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s;

/** `@.type=="Ready"`; a side alone asks whether it is there. */
function readFilter(text: string): ((item: Json) => boolean) | undefined {
  const parts = comparison.exec(text.trim());
  const left = readSide(parts ? (parts[1] as string) : text);
  const right = parts ? readSide(parts[3] as string) : undefined;
  if (!left || (parts && !right)) return undefined;
  if (!parts || !right) return (item) => (left(item) ?? []).length > 0;
  const operator = parts[2] as string;
  return (item) => {
    const [one, other] = [left(item)?.[0], right(item)?.[0]];
    return one !== undefined && other !== undefined && compares(operator, one, other);
  };
}

function readSide(text: string): JsonPath | undefined {
  const side = text.trim();
  if (side.startsWith('@')) return jsonPath(side.slice(1));
  if (side.startsWith('$')) return undefined;
  const quoted = /^(['"])(.*)\1$/s.exec(side);
  if (quoted) return () => [quoted[2] as string];
  if (side === 'true' || side === 'false') return () => [side === 'true'];
  const number = Number(side);
  return side !== '' && Number.isFinite(number) ? () => [number] : undefined;
}

function compares(operator: string, one: Json, other: Json): boolean {
  switch (operator) {
    case '==':
      return jsonEqual(one, other);
    case '!=':
      return !jsonEqual(one, other);
    default:
      if (typeof one !== typeof other || (typeof one !== 'number' && typeof one !== 'string')) return false;
      if (operator === '<') return one < (other as typeof one);
      if (operator === '<=') return one <= (other as typeof one);
      return operator === '>' ? one > (other as typeof one) : one >= (other as typeof one);
  }
}
