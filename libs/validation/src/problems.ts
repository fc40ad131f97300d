import { getMetadataStorage, Validator } from './class-validator';
import { checkOf, type Shape } from './compiled-check';

const validator = new Validator();

/** A property that is off. */
export interface Problem {
  property: string;
  /** Each rule that does not hold, in words that name the property. */
  texts: string[];
}

/** What of an object is not as its shape says; empty when all is. Properties that the shape does not have are problems too. */
export function problemsOf(shape: Shape, data: object): Problem[] {
  if (checkOf(shape)(data)) return [];
  const instance = Object.assign(new shape(), data);
  const errors = validator.validateSync(instance, { forbidUnknownValues: false, whitelist: true, forbidNonWhitelisted: true });
  return errors.map(({ property, constraints }) => ({
    property,
    texts: constraints ? Object.values(constraints) : [`${property} is invalid`],
  }));
}

/** The properties that a shape has rules for, in their order. */
export function propertiesOf(shape: Shape): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
