import type { FieldError } from '../status/field-error';
import { forbidden, invalidValue, required } from '../status/field-error';
import { isLabelValue, isQualifiedName } from '../validation/formats';
import type { LabelOperator, LabelRequirement } from './label-requirement';
import type { LabelSelector } from './label-selector';
import { labelSelectorOf, labelSelectorString, nothing } from './label-selector';

/** `metav1.LabelSelector` as objects carry it. */
export interface ObjectSelector {
  matchLabels?: Record<string, string> | null;
  matchExpressions?: { key: string; operator: string; values?: string[] | null }[] | null;
}

const operators: Record<string, LabelOperator> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/**
 * An object's selector, compiled. Absent: nothing matches; empty: everything does. A selector with an unknown operator, which
 * validation refuses, matches nothing.
 */
export function compileObjectSelector(selector: ObjectSelector | null | undefined): LabelSelector {
  if (!selector) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push({ key, operator: '=', values: [value] });
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const compiled = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (compiled === undefined) return nothing;
    requirements.push({ key, operator: compiled, values: [...new Set(values ?? [])] });
  }
  return labelSelectorOf(requirements);
}

/** Selectors that are plain maps: Services and ReplicationControllers. Empty or absent selects nothing there. */
export function compileMapSelector(selector: Record<string, string> | null | undefined): LabelSelector {
  const entries = Object.entries(selector ?? {});
  return entries.length === 0 ? nothing : labelSelectorOf(entries.map(([key, value]) => ({ key, operator: '=', values: [value] })));
}

/** As upstream shows a selector in texts: `<none>` when it is empty or absent, `<error>` when it cannot be compiled. */
export function formatObjectSelector(selector: ObjectSelector | null | undefined): string {
  const compiled = compileObjectSelector(selector);
  if (compiled === nothing && selector) return '<error>';
  return labelSelectorString(compiled) || '<none>';
}

export interface SelectorValidation {
  /** Old objects with bad label values may keep them (upstream's ratcheting). */
  allowInvalidValues?: boolean;
}

/** Rules on an object's selector, with upstream's paths: keys and values are reported at the list, not at the entry. */
export function validateObjectSelector(
  selector: ObjectSelector | null | undefined,
  options: SelectorValidation,
  field: string,
): FieldError[] {
  if (!selector) return [];
  const errors = validateLabelMap(selector.matchLabels, `${field}.matchLabels`);
  for (const [index, expression] of (selector.matchExpressions ?? []).entries()) {
    errors.push(...validateExpression(expression, options, `${field}.matchExpressions[${index}]`));
  }
  return errors;
}

function validateExpression(
  { key, operator, values }: { key: string; operator: string; values?: string[] | null },
  { allowInvalidValues = false }: SelectorValidation,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = values?.length ?? 0;
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else errors.push(invalidValue(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  errors.push(...validateLabelName(key ?? '', `${field}.key`));
  if (!allowInvalidValues) {
    for (const [index, value] of (values ?? []).entries()) {
      for (const text of isLabelValue(value)) errors.push(invalidValue(`${field}.values[${index}]`, value, text));
    }
  }
  return errors;
}

export function validateLabelName(name: string, field: string): FieldError[] {
  return isQualifiedName(name).map((text) => invalidValue(field, name, text));
}

/** Label keys and values; both are reported at the map itself. */
export function validateLabelMap(labels: Record<string, string> | null | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.push(...validateLabelName(key, field));
    for (const text of isLabelValue(value)) errors.push(invalidValue(field, value, text));
  }
  return errors;
}
