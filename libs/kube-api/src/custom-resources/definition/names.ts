import { invalidValue } from '../../status/field-error';
import { isDns1035Label } from '../../validation/formats';
import { isSet, listOf, type Errors } from '../../validation/values';
import type { DefinitionNames } from './types';

function validateLabelName(value: string, field: string, prefix: string, errors: Errors): void {
  if (value === '') return;
  const texts = isDns1035Label(prefix === '' ? value : value.toLowerCase());
  if (texts.length > 0) errors.push(invalidValue(field, value, prefix + texts.join(',')));
}

const mixedCase = 'may have mixed case, but should otherwise match: ';

/** Names as they are wanted, or as they have been accepted; what is absent is not looked at. */
export function validateNames(names: DefinitionNames | undefined, at: string, errors: Errors): void {
  if (!isSet(names)) return;
  const { plural = '', singular = '', kind = '', listKind = '', shortNames, categories } = names as DefinitionNames;
  validateLabelName(plural, `${at}.plural`, '', errors);
  validateLabelName(singular, `${at}.singular`, '', errors);
  validateLabelName(kind, `${at}.kind`, mixedCase, errors);
  validateLabelName(listKind, `${at}.listKind`, mixedCase, errors);
  validateLabels(shortNames, `${at}.shortNames`, errors);
  if (kind !== '' && kind === listKind) errors.push(invalidValue(`${at}.listKind`, listKind, 'kind and listKind may not be the same'));
  validateLabels(categories, `${at}.categories`, errors);
}

function validateLabels(values: DefinitionNames['shortNames'], at: string, errors: Errors): void {
  for (const [index, value] of (listOf(values) as string[]).entries()) {
    const texts = isDns1035Label(value);
    if (texts.length > 0) errors.push(invalidValue(`${at}[${index}]`, value, texts.join(',')));
  }
}
