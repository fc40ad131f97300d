import { compileDeviceSelector } from '../../../expressions/devices';
import { validateLabelName } from '../../../selectors/object-selector';
import { byteLength, isLabelValue } from '../../../validation/formats';
import { invalidValue, required, tooLong, unsupported, forbidden } from '../../../status/field-error';
import {
  isSet,
  listOf,
  notPositiveText,
  validateDnsLabel,
  validateDnsSubdomain,
  validateRequiredSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validateConfiguration } from './configuration';
import { byItself, byName, validateItems, validateSet } from './lists';
import { validateFullyQualifiedName } from './names';

export const requestsMax = 32;
export const configurationsMax = 32;
const constraintsMax = 32;
const selectorsMax = 32;
const alternativesMax = 8;
const expressionBytesMax = 10 * 1024;

/** The names that a claim's requests are referred to by, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf(claim: Loose): RequestNames {
  return new Map(
    listOf(claim?.devices?.requests).map(({ name = '', firstAvailable }) => [
      name,
      new Set<string>(listOf(firstAvailable).map((alternative) => alternative.name ?? '')),
    ]),
  );
}

/** What a claim asks for (upstream `validateResourceClaimSpec`). `stored`: sizes of parameters have been looked at before. */
export function validateClaim(claim: Loose, stored: boolean, field: string, errors: Errors): void {
  const devices: Loose = claim?.devices ?? {};
  const names = requestNamesOf(claim);
  const at = `${field}.devices`;
  validateSet(devices.requests, requestsMax, validateRequest, byName, `${at}.requests`, errors);
  const constraint = (item: Loose, place: string): void => validateConstraint(item ?? {}, names, place, errors);
  validateItems(devices.constraints, constraintsMax, constraint, `${at}.constraints`, errors);
  const configuration = (item: Loose, place: string): void => {
    validateReferences(item?.requests, names, `${place}.requests`, errors);
    validateConfiguration(item ?? {}, stored, place, errors);
  };
  validateItems(devices.config, configurationsMax, configuration, `${at}.config`, errors);
}

const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';

function validateRequest({ name = '', exactly, firstAvailable }: Loose, field: string, errors: Errors): void {
  validateDnsLabel(name, `${field}.name`, errors);
  const alternatives = listOf(firstAvailable);
  const alternative = (item: Loose, place: string): void => {
    validateDnsLabel(item.name ?? '', `${place}.name`, errors);
    validateWanted(item, place, errors);
  };
  if (alternatives.length > 0) validateSet(alternatives, alternativesMax, alternative, byName, `${field}.firstAvailable`, errors);
  if (isSet(exactly)) validateWanted(exactly, `${field}.exactly`, errors);
  if (alternatives.length === 0 && !isSet(exactly)) errors.push(required(field, oneOf));
  else if (alternatives.length > 0 && isSet(exactly)) {
    errors.push(invalidValue(field, null, `${oneOf}, but multiple fields are set`));
  }
}

/** The class, the selectors and the number, of a request and of an alternative alike. */
function validateWanted(wanted: Loose, field: string, errors: Errors): void {
  const { deviceClassName = '', allocationMode = '', count = 0 } = wanted;
  if (deviceClassName === '') errors.push(required(`${field}.deviceClassName`));
  else validateDnsSubdomain(deviceClassName, `${field}.deviceClassName`, errors);
  validateDeviceSelectors(wanted.selectors, `${field}.selectors`, errors);
  if (allocationMode === 'All') {
    if (count !== 0) errors.push(invalidValue(`${field}.count`, count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode !== 'ExactCount') {
    errors.push(unsupported(`${field}.allocationMode`, allocationMode, ['All', 'ExactCount']));
  } else if (count <= 0) errors.push(invalidValue(`${field}.count`, count, notPositiveText));
  validateItems(wanted.tolerations, undefined, validateToleration, `${field}.tolerations`, errors);
}

/** Expressions that have to compile, and may not cost too much. */
export function validateDeviceSelectors(selectors: unknown, field: string, errors: Errors): void {
  const selector = (item: Loose, place: string): void => {
    if (!isSet(item?.cel)) errors.push(required(`${place}.cel`));
    else if (byteLength(item.cel.expression ?? '') > expressionBytesMax) {
      errors.push(tooLong(`${place}.cel.expression`, expressionBytesMax));
    } else validateSelectorExpression(item.cel.expression ?? '', `${place}.cel.expression`, errors);
  };
  validateItems(selectors, selectorsMax, selector, field, errors);
}

function validateSelectorExpression(expression: string, field: string, errors: Errors): void {
  const { problem, isTooComplex } = compileDeviceSelector(expression);
  if (problem !== undefined) errors.push(invalidValue(field, expression, problem));
  else if (isTooComplex) errors.push(forbidden(field, 'too complex, exceeds cost limit'));
}

const effects = ['NoExecute', 'NoSchedule'];

function validateToleration(toleration: Loose, field: string, errors: Errors): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration ?? {};
  if (key !== '') errors.push(...validateLabelName(key, `${field}.key`));
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidValue(`${field}.value`, value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') validateTexts(isLabelValue(value), value, `${field}.value`, errors);
  else validateRequiredSupported(operator, ['Equal', 'Exists'], `${field}.operator`, errors);
  if (effect !== '' && !effects.includes(effect)) errors.push(unsupported(`${field}.effect`, effect, effects));
}

function validateConstraint(constraint: Loose, names: RequestNames, field: string, errors: Errors): void {
  const { matchAttribute, distinctAttribute } = constraint;
  validateReferences(constraint.requests, names, `${field}.requests`, errors);
  if (isSet(matchAttribute)) validateFullyQualifiedName(matchAttribute, `${field}.matchAttribute`, errors);
  else if (isSet(distinctAttribute)) validateFullyQualifiedName(distinctAttribute, `${field}.distinctAttribute`, errors);
  else errors.push(required(`${field}.matchAttribute`));
}

export function validateReferences(references: unknown, names: RequestNames, field: string, errors: Errors): void {
  const reference = (item: Loose, place: string): void => validateReference(item ?? '', names, place, errors);
  validateSet(references, requestsMax, reference, byItself, field, errors);
}

const referenceText = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** `gpu`, or `gpu/small` for one of its alternatives. */
export function validateReference(reference: string, names: RequestNames, field: string, errors: Errors): void {
  const parts = reference.split('/');
  const [request = '', alternative] = parts;
  const known = names.get(request);
  if (parts.length <= 2) for (const part of parts) validateDnsLabel(part, field, errors);
  const isKnown = parts.length <= 2 && known !== undefined && (alternative === undefined || known.has(alternative));
  if (!isKnown) errors.push(invalidValue(field, reference, referenceText));
}
