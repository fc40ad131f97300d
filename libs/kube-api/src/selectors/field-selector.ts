import type { KubeObject } from '#libs/kernel';
import type { KindFields, ReadField } from './kind-fields';
import type { SelectorError } from './label-selector';

/** Conditions on fields, all of which must hold. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
  matches(object: KubeObject): boolean;
}

export interface FieldTerm {
  readonly field: string;
  readonly read: ReadField;
  readonly equal: boolean;
  readonly value: string;
}

/** A condition on a field that nothing is known of yet. */
export type FieldRequirement = Omit<FieldTerm, 'read'>;

export const everyField: FieldSelector = { terms: [], matches: () => true };

const operatorTexts = ['!=', '==', '='] as const;

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function splitTerm(term: string): FieldRequirement | undefined {
  for (let at = 0; at < term.length; at++) {
    const operator = operatorTexts.find((text) => term.startsWith(text, at));
    if (operator) return { field: term.slice(0, at), equal: operator !== '!=', value: term.slice(at + operator.length) };
  }
  return undefined;
}

/** Values escape `\`, `,` and `=` by a backslash; anything else escaped, or one of them bare, is an error. */
function unescapeValue(value: string): string | SelectorError {
  if (!/[\\,=]/.test(value)) return value;
  let text = '';
  for (let at = 0; at < value.length; at++) {
    const character = value[at] as string;
    if (character === '\\') {
      const next = value[++at];
      if (next === undefined) return { error: 'invalid field selector: invalid escape sequence: \\' };
      if (!'\\,='.includes(next)) return { error: `invalid field selector: invalid escape sequence: \\${next}` };
      text += next;
    } else if (character === ',' || character === '=') {
      return { error: `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}` };
    } else text += character;
  }
  return text;
}

/** The conditions of a selector, whatever kind it is for. */
export function parseFieldRequirements(text: string): FieldRequirement[] | SelectorError {
  const terms: FieldRequirement[] = [];
  for (const part of splitTerms(text)) {
    if (part === '') continue;
    const term = splitTerm(part);
    if (!term) return { error: `invalid selector: '${text}'; can't understand '${part}'` };
    const value = unescapeValue(term.value);
    if (typeof value !== 'string') return value;
    terms.push({ ...term, value });
  }
  return terms;
}

/**
 * A `fieldSelector` query parameter for a kind, compiled; the error text is what the 400 says. A term with neither field
 * nor value holds always.
 */
export function parseFieldSelector({ fields }: { readonly fields: KindFields }, text: string): FieldSelector | SelectorError {
  if (text === '') return everyField;
  const parsed = parseFieldRequirements(text);
  if ('error' in parsed) return parsed;
  const { labels, refusal } = fields;
  const terms: FieldTerm[] = [];
  for (const term of parsed) {
    if (term.field === '' && term.value === '') continue;
    const read = labels.get(term.field);
    if (read === undefined) return { error: refusal(term.field) };
    terms.push({ ...term, read });
  }
  if (terms.length === 0) return everyField;
  return { terms, matches: (object) => terms.every(({ read, equal, value }) => (read(object) === value) === equal) };
}

/** The one name (or namespace) the selector demands, if it demands one: lists can then look it up. */
export function requiredValue(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.equal && term.field === field)?.value;
}
