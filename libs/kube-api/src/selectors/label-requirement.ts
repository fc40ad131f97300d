import type { FieldError } from '../status/field-error';
import { aggregateText, invalidValue } from '../status/field-error';
import { isLabelValue, isQualifiedName } from '../validation/formats';

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on an object's labels. `values` are unique. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>> | undefined | null;

function labelOf(labels: Labels, key: string): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** A 64-bit integer in decimal, or undefined. */
function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Whether the labels fulfil the condition. `!=` and `notin` also hold where the label is absent. */
export function requirementMatches({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labelOf(labels, key);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      const bound = integerOf(values[0] ?? '');
      const actual = integerOf(value ?? '');
      if (actual === undefined || bound === undefined) return false;
      return operator === 'gt' ? actual > bound : actual < bound;
    }
  }
}

/** What is wrong with a label key; selectors in query texts have no path, which upstream shows as `<nil>`. */
export function labelKeyText(key: string): string | undefined {
  const found = isQualifiedName(key);
  return found.length === 0 ? undefined : aggregateText([invalidValue('<nil>', key, found.join('; '))]);
}

/** What is wrong with the values; undefined when nothing is. */
export function requirementText({ key, operator, values }: LabelRequirement): string | undefined {
  const errors: FieldError[] = [];
  if (operator === 'gt' || operator === 'lt') {
    for (const [index, value] of values.entries()) {
      if (integerOf(value) === undefined) {
        errors.push(invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
    }
  }
  for (const [index, value] of values.entries()) {
    const found = isLabelValue(value);
    if (found.length > 0) errors.push(invalidValue(`values[${index}][${key}]`, value, found.join('; ')));
  }
  return errors.length === 0 ? undefined : aggregateText(errors);
}

/** Canonical text of the condition: values sorted. */
export function requirementString({ key, operator, values }: LabelRequirement): string {
  const sorted = [...values].sort().join(',');
  switch (operator) {
    case '!':
      return `!${key}`;
    case 'exists':
      return key;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sorted})`;
    case 'gt':
      return `${key}>${sorted}`;
    case 'lt':
      return `${key}<${sorted}`;
    default:
      return `${key}${operator}${sorted}`;
  }
}
