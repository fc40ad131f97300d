import { isObject, jsonEqual, type Json, type JsonObject } from '#libs/kernel';
import { goQuote } from '../../status/go-value';
import type { FieldError } from '../../status/field-error';
import type { Correlation } from './correlation';
import { fieldErrorOf, missing, notInEnum, Outcome, should, tooManyOf } from './findings';
import { propertyOf, valuesOf, type Schema } from './schema';
import { checkFormat, checkNumber, checkText, checkType, formatRead, typesOf, type Reading } from './value-checks';

export interface ValueValidation extends Reading {
  /** Where the value stands. Absent: it is a whole object. */
  readonly field?: string;
  /** The value beside the one that it takes the place of: what has not changed is tolerated. */
  readonly correlation?: Correlation;
}

/** What is wrong with a value by the value validations of its schema (upstream: kube-openapi's validator, whose order and texts these are). */
export function validateValue(schema: Schema, value: Json, { field, correlation, ...reading }: ValueValidation = {}): FieldError[] {
  const walk = new Walk(reading);
  const outcome = correlation ? walk.tolerated(schema, value, '', correlation) : walk.value(schema, value, '', undefined);
  return outcome.findings.map((finding) => fieldErrorOf(finding, field));
}

class Walk {
  constructor(private readonly reading: Reading) {}

  /** What was as wrong before is not told. */
  tolerated(schema: Schema, value: Json, path: string, correlation: Correlation): Outcome {
    const outcome = this.value(schema, value, path, correlation);
    if (outcome.isValid || !correlation.isSame) return outcome;
    const tolerated = new Outcome();
    tolerated.passed = outcome.passed;
    return tolerated;
  }

  /** @param correlation of this value, by which that of its parts is found; undefined: everything counts as new */
  value(schema: Schema, value: Json, path: string, correlation: Correlation | undefined): Outcome {
    const outcome = new Outcome();
    const type = checkType(schema, value, path, this.reading);
    if (value === null) {
      if (type) outcome.add(type);
      else outcome.passed++;
      this.checkEnum(schema, value, path, outcome);
      return outcome;
    }
    if (typesOf(schema, this.reading).length > 0 || formatRead(schema, this.reading) !== undefined) {
      if (type) outcome.add(type);
      else outcome.passed++;
      outcome.passed++;
    }
    outcome.merge(this.combined(schema, value, path, correlation)).passed++;
    if (typeof value === 'string') this.text(schema, value, path, outcome);
    else if (typeof value === 'number') outcome.merge(checkNumber(schema, value, path)).passed++;
    else if (Array.isArray(value)) outcome.merge(this.list(schema, value, path, correlation)).passed++;
    this.checkEnum(schema, value, path, outcome);
    outcome.passed++;
    if (isObject(value)) outcome.merge(this.object(schema, value, path, correlation)).passed++;
    outcome.passed++;
    return outcome;
  }

  private text(schema: Schema, value: string, path: string, outcome: Outcome): void {
    const problem = checkText(schema, value, path);
    if (problem) outcome.add(problem);
    outcome.passed++;
    if (formatRead(schema, this.reading) === undefined) return;
    const ill = checkFormat(schema, value, path, this.reading);
    if (ill) outcome.add(ill);
    outcome.passed++;
  }

  private checkEnum({ enum: values }: Schema, value: Json, path: string, outcome: Outcome): void {
    if (!values || values.length === 0) return;
    if (value !== null && values.some((allowed) => jsonEqual(allowed as Json, value))) return;
    outcome.add(notInEnum(path, value, values));
  }

  private member(schema: Schema, value: Json, path: string, name: string, parent: { correlation?: Correlation; isRoot: boolean }): Outcome {
    const isNamed = parent.isRoot && (name === 'kind' || name === 'apiVersion');
    const correlation = isNamed ? undefined : parent.correlation?.key(name);
    return correlation ? this.tolerated(schema, value, path, correlation) : this.value(schema, value, path, undefined);
  }

  private object(schema: Schema, value: JsonObject, path: string, correlation: Correlation | undefined): Outcome {
    const outcome = new Outcome();
    const parent = { correlation, isRoot: path === '' };
    const names = Object.keys(value).sort();
    const { minProperties, maxProperties, required = [] } = schema;
    if (minProperties !== undefined && names.length < minProperties)
      outcome.add(should(path, `should have at least ${minProperties} properties`, names.length));
    if (maxProperties !== undefined && names.length > maxProperties)
      outcome.add(tooManyOf('properties', path, names.length, maxProperties));
    const values = valuesOf(schema);
    for (const name of names) {
      if (propertyOf(schema, name)) continue;
      if (schema.additionalProperties === false) outcome.add(should(`${path}.${name}`, 'is a forbidden property', name));
      else if (values) outcome.merge(this.member(values, value[name] as Json, `${path}.${name}`, name, parent));
    }
    for (const name of names) {
      const property = propertyOf(schema, name);
      if (property) outcome.merge(this.member(property, value[name] as Json, path === '' ? name : `${path}.${name}`, name, parent));
    }
    for (const name of required) if (!Object.hasOwn(value, name)) outcome.add(missing(`${path}.${name}`));
    return outcome;
  }

  private list(schema: Schema, values: readonly Json[], path: string, correlation: Correlation | undefined): Outcome {
    const outcome = new Outcome();
    const { items, minItems, maxItems, uniqueItems } = schema;
    if (items)
      values.forEach((value, index) => {
        const at = `${path}[${index}]`;
        const known = correlation?.index(index);
        outcome.merge(known ? this.tolerated(items, value, at, known) : this.value(items, value, at, undefined));
      });
    if (minItems !== undefined && values.length < minItems)
      outcome.add(should(path, `should have at least ${minItems} items`, values.length));
    if (maxItems !== undefined && values.length > maxItems) outcome.add(tooManyOf('items', path, values.length, maxItems));
    if (uniqueItems && values.some((value, index) => values.slice(0, index).some((other) => jsonEqual(value, other))))
      outcome.add(should(path, "shouldn't contain duplicates", ''));
    outcome.passed++;
    return outcome;
  }

  /** `anyOf`, `oneOf`, `allOf` and `not`. Of several failures the one that went furthest is told. */
  private combined(schema: Schema, value: Json, path: string, correlation: Correlation | undefined): Outcome {
    const outcome = new Outcome();
    const tried = (schemas: readonly Schema[]): Outcome[] => schemas.map((one) => this.value(one, value, path, correlation));
    const { anyOf = [], oneOf = [], allOf = [], not } = schema;
    if (anyOf.length > 0) {
      const results = tried(anyOf);
      const success = results.find(({ isValid }) => isValid);
      if (!success) outcome.add({ text: `${goQuote(path)} must validate at least one schema (anyOf)` });
      outcome.merge(success ?? furthest(results));
    }
    if (oneOf.length > 0) {
      const results = tried(oneOf);
      const successes = results.filter(({ isValid }) => isValid);
      if (successes.length === 1) outcome.merge(successes[0] as Outcome);
      else {
        const found = successes.length === 0 ? 'Found none valid' : `Found ${successes.length} valid alternatives`;
        outcome.add({ text: `${goQuote(path)} must validate one and only one schema (oneOf). ${found}` });
        if (successes.length === 0) outcome.merge(furthest(results));
      }
    }
    if (allOf.length > 0) {
      const results = tried(allOf);
      for (const result of results) outcome.merge(result);
      const passed = results.filter(({ isValid }) => isValid).length;
      if (passed < results.length)
        outcome.add({ text: `${goQuote(path)} must validate all the schemas (allOf)${passed === 0 ? '. None validated' : ''}` });
    }
    if (not && this.value(not, value, path, correlation).isValid)
      outcome.add({ text: `${goQuote(path)} must not validate the schema (not)` });
    outcome.passed++;
    return outcome;
  }
}

function furthest(failures: readonly Outcome[]): Outcome {
  return failures.reduce((best, one) => (one.passed > best.passed ? one : best));
}
