import { canonicalQuantity, derivedUid, type JsonObject, type KubeObject, type Quantity } from '#libs/kernel';
import { listIn, objectIn } from '../../../defaults/draft';
import { roundResourceList } from '../../../defaults/resources';
import { duplicate, forbidden, invalidValue, required } from '../../../status/field-error';
import { isDnsSubdomain, isQualifiedName } from '../../../validation/formats';
import { validateMetadata } from '../../../validation/metadata';
import { isOvercommitAllowed, quantityOf, validateContainerResourceName, validateResourceName } from '../../../validation/resources';
import { entriesOf, isSet, listOf, validateTexts, type Errors, type Loose } from '../../../validation/values';
import type { KindDescription } from '../../behaviour';

const amountLists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Of containers, what is not said follows from what is: the default from the maximum, its request from the default, and then from the minimum. */
function setLimitRangeDefaults(range: JsonObject): void {
  for (const limit of listIn(objectIn(range, 'spec') ?? {}, 'limits')) {
    if (limit['type'] === 'Container') {
      const { max = {}, min = {} } = limit as { max?: object; min?: object };
      const given: JsonObject = { ...(max as JsonObject), ...objectIn(limit, 'default') };
      limit['default'] = given;
      limit['defaultRequest'] = { ...(min as JsonObject), ...given, ...objectIn(limit, 'defaultRequest') };
    }
    for (const list of amountLists) roundResourceList(limit[list]);
  }
}

function validateLimitRange(range: KubeObject, errors: Errors): void {
  validateMetadata(range.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  const types = new Set<string>();
  for (const [index, limit] of listOf(range.spec?.limits).entries()) {
    const at = `spec.limits[${index}]`;
    const type: string = limit.type ?? '';
    validateType(type, `${at}.type`, errors);
    if (types.has(type)) errors.push(duplicate(`${at}.type`, type));
    types.add(type);
    validateNames(limit, type, at, errors);
    validateAmounts(limit, type, at, errors);
  }
}

function validateType(type: string, field: string, errors: Errors): void {
  const texts = isQualifiedName(type);
  validateTexts(texts, type, field, errors);
  if (texts.length === 0 && !type.includes('/') && !['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)) {
    errors.push(invalidValue(field, type, 'must be a standard limit type or fully qualified'));
  }
}

function validateNames(limit: Loose, type: string, field: string, errors: Errors): void {
  const check = (list: string) => {
    for (const [name] of entriesOf(limit[list])) {
      const at = `${field}.${list}[${name}]`;
      if (type === 'Pod' || type === 'Container') validateContainerResourceName(name, at, errors);
      else validateResourceName(name, at, errors);
    }
  };
  check('max');
  check('min');
  for (const list of ['default', 'defaultRequest']) {
    if (type !== 'Pod') check(list);
    else if (entriesOf(limit[list]).length > 0) errors.push(forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'"));
  }
  if (type === 'PersistentVolumeClaim' && !isSet(limit.min?.storage) && !isSet(limit.max?.storage)) {
    errors.push(required(`${field}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
  }
  check('maxLimitRequestRatio');
}

type AmountList = (typeof amountLists)[number];

/** The amounts of each resource, one against the other. */
function validateAmounts(limit: Loose, type: string, field: string, errors: Errors): void {
  const lists = type === 'Pod' ? (['max', 'min', 'maxLimitRequestRatio'] as const) : amountLists;
  const names = new Set(lists.flatMap((list) => Object.keys(limit[list] ?? {})));
  for (const name of names) {
    const textOf = (list: AmountList): string => canonicalQuantity(limit[list][name]) ?? '0';
    const amountOf = (list: AmountList): Quantity | undefined =>
      (lists as readonly string[]).includes(list) && isSet(limit[list]?.[name]) ? quantityOf(limit[list][name]) : undefined;
    const isAbove = (a: AmountList, b: AmountList): boolean => {
      const [first, second] = [amountOf(a), amountOf(b)];
      return first !== undefined && second !== undefined && first.nano > second.nano;
    };
    const refuse = (list: AmountList, shown: AmountList, text: string) =>
      errors.push(invalidValue(`${field}.${list}[${name}]`, textOf(shown), text));
    if (isAbove('min', 'max')) refuse('min', 'min', `min value ${textOf('min')} is greater than max value ${textOf('max')}`);
    if (isAbove('min', 'defaultRequest')) {
      refuse(
        'defaultRequest',
        'defaultRequest',
        `min value ${textOf('min')} is greater than default request value ${textOf('defaultRequest')}`,
      );
    }
    for (const [other, called] of [
      ['max', 'max'],
      ['default', 'default limit'],
    ] as const) {
      if (!isAbove('defaultRequest', other)) continue;
      const text = `default request value ${textOf('defaultRequest')} is greater than ${called} value ${textOf(other)}`;
      refuse('defaultRequest', 'defaultRequest', text);
    }
    if (isAbove('min', 'default'))
      refuse('default', 'min', `min value ${textOf('min')} is greater than default value ${textOf('default')}`);
    if (isAbove('default', 'max'))
      refuse('default', 'max', `default value ${textOf('default')} is greater than max value ${textOf('max')}`);
    const ratio = amountOf('maxLimitRequestRatio');
    if (ratio)
      validateRatio(
        ratio,
        amountOf('min'),
        amountOf('max'),
        (text) => refuse('maxLimitRequestRatio', 'maxLimitRequestRatio', text),
        textOf,
      );
    const [given, requested] = [amountOf('default'), amountOf('defaultRequest')];
    if (given && requested && given.nano !== requested.nano && !isOvercommitAllowed(name)) {
      const text = `default value ${textOf('default')} must equal to defaultRequest value ${textOf('defaultRequest')} in ${name}`;
      refuse('defaultRequest', 'defaultRequest', text);
    }
  }
}

const one = 1_000_000_000n;

function validateRatio(
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  refuse: (text: string) => void,
  textOf: (list: AmountList) => string,
): void {
  const shown = textOf('maxLimitRequestRatio');
  if (ratio.nano < one) refuse(`ratio ${shown} is less than 1`);
  if (!min || !max) return;
  const limit = Number(max.nano) / Number(min.nano);
  // In thousandths, as far as 64 bits hold them.
  if (Number(BigInt.asIntN(64, ratio.nano / 1_000_000n)) / 1_000 > limit)
    refuse(`ratio ${shown} is greater than max/min = ${limit.toFixed(6)}`);
}

/** Upstream's rule of a creation, and of an update too: nothing is said of what changes. */
export const limitranges: KindDescription = {
  name: 'limitranges',
  served: true,
  createOnUpdate: true,
  setDefaults: setLimitRangeDefaults,
  strategy: {
    create: (range, { uid }) =>
      range.metadata.name ? range : { ...range, metadata: { ...range.metadata, name: derivedUid(`${uid}/name`) } },
  },
  validation: { create: validateLimitRange, update: (updated, _old, errors) => validateLimitRange(updated, errors) },
};
