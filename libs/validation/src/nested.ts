import { ValidateBy } from './class-validator';
import { checkOf, type Shape } from './compiled-check';
import { problemsOf } from './problems';

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nested = new WeakMap<Shape, Map<string, Shape>>();

/** The shape of a property's value, where `@IsA` says one. */
export function shapeOf(shape: Shape, property: string): Shape | undefined {
  return nested.get(shape)?.get(property);
}

/** The value is an object of this shape. It stays the plain object that it is: nothing is transformed. */
export function IsA(shape: Shape): PropertyDecorator {
  const rule = ValidateBy({
    name: 'isA',
    constraints: [shape],
    validator: {
      validate: (value) => isPlain(value) && checkOf(shape)(value),
      defaultMessage: (context) => textsOf(shape, context?.value, context?.property ?? '').join(', '),
    },
  });
  return (target, property) => {
    const owner = target.constructor as Shape;
    nested.set(owner, (nested.get(owner) ?? new Map<string, Shape>()).set(String(property), shape));
    rule(target, property);
  };
}

/** The value is a list, and each of its items an object of this shape. */
export function IsListOf(shape: Shape): PropertyDecorator {
  return ValidateBy({
    name: 'isListOf',
    constraints: [shape],
    validator: {
      validate: (value) => Array.isArray(value) && value.every((item) => isPlain(item) && checkOf(shape)(item)),
      defaultMessage: (context) => {
        const { value, property = '' } = context ?? {};
        if (!Array.isArray(value)) return `${property} must be an array`;
        return value.flatMap((item, index) => textsOf(shape, item, `${property}[${index}]`)).join(', ');
      },
    },
  });
}

/** The value is an object, whatever its keys, with values that a predicate holds for. @param of what they are, as in "of strings" */
export function IsMapOf(of: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return IsThat(`an object of ${of}`, (value) => isPlain(value) && Object.values(value).every(holds));
}

/** The value is something that only a predicate can tell. @param what it is, as in "must be …" */
export function IsThat(what: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'isThat',
    constraints: [what],
    validator: { validate: holds, defaultMessage: (context) => `${context?.property} must be ${what}` },
  });
}

function textsOf(shape: Shape, value: unknown, path: string): string[] {
  if (!isPlain(value)) return [`${path} must be an object`];
  return problemsOf(shape, value).flatMap(({ texts }) => texts.map((text) => `${path}: ${text}`));
}
