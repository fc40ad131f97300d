import { goQuote } from '../../status/go-value';
import { invalidValue, required, tooLong, tooMany, typeInvalid, unsupported, type FieldError } from '../../status/field-error';

/**
 * What a value is refused for. `name` is the path as the text writes it; absent: a finding about a whole schema (`oneOf`), which has no field
 * of its own.
 */
export interface Finding {
  readonly text: string;
  readonly name?: string;
  /** The finding at a field. */
  readonly at?: (field: string) => FieldError;
}

/** What became of a value: what is wrong, and how many checks it went through, by which the best of several failures is chosen. */
export class Outcome {
  readonly findings: Finding[] = [];
  passed = 0;

  get isValid(): boolean {
    return this.findings.length === 0;
  }

  /** The same text is told once. */
  add(...findings: Finding[]): this {
    for (const finding of findings) if (!this.findings.some(({ text }) => text === finding.text)) this.findings.push(finding);
    return this;
  }

  merge(other: Outcome): this {
    this.passed += other.passed;
    return this.add(...other.findings);
  }
}

function found(name: string, text: string, at: (field: string, text: string) => FieldError): Finding {
  return { name, text, at: (field) => at(field, text) };
}

/** @param given the type that the value has, or the text that is not of the format */
export function wrongType(name: string, type: string, given: string): Finding {
  const text = `${name} in body must be of type ${type}: ${goQuote(given)}`;
  return found(name, text, (field) => typeInvalid(field, given, text));
}

export function missing(name: string): Finding {
  return found(name, `${name} in body is required`, (field) => required(field));
}

export function notInEnum(name: string, value: unknown, values: readonly unknown[]): Finding {
  const shown = values.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  return found(name, `${name} in body should be one of [${shown.join(' ')}]`, (field) => unsupported(field, value, shown));
}

export function textTooLong(name: string, charactersMax: number): Finding {
  return found(name, `${name} in body should be at most ${charactersMax} chars long`, (field) => tooLong(field, charactersMax));
}

export function tooManyOf(what: 'items' | 'properties', name: string, count: number, countMax: number): Finding {
  return found(name, `${name} in body should have at most ${countMax} ${what}`, (field) => tooMany(field, count, countMax));
}

/** `NAME in body should …`, with the value. */
export function should(name: string, what: string, value: unknown): Finding {
  return found(name, `${name} in body ${what}`, (field, text) => invalidValue(field, value, text));
}

/** A finding that says in its own words what it is about. */
export function plain(name: string, text: string, value: unknown): Finding {
  return found(name, text, (field) => invalidValue(field, value, text));
}

/** @param field that the value stands at; undefined: it is a whole object */
export function fieldErrorOf({ text, name, at }: Finding, field: string | undefined): FieldError {
  const whole = field ?? '<nil>';
  if (name === undefined || !at) return invalidValue(whole, '', text);
  const below = name.startsWith('.') ? name.slice(1) : name;
  if (name === '' || name === '.') return at(whole);
  return at(field === undefined ? below : `${field}.${below}`);
}
