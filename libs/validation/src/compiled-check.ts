import { getMetadataStorage, ValidationTypes } from './class-validator';

/** A class whose decorators say what its instances look like. */
export type Shape = new () => object;

/** Whether a value is certainly right. False means that class-validator has to say what is off, if anything is. */
export type Check = (data: object) => boolean;

interface Rule {
  property: string;
  /** Of `@IsOptional` and its like: all must hold, or the value is not looked at. */
  conditions: ((object: object, value: unknown) => boolean)[];
  tests: ((object: object, value: unknown) => boolean)[];
}

const never: Check = () => false;
const checks = new Map<Shape, Check>();

/** The check of a shape, compiled when it is asked for first. */
export function checkOf(shape: Shape): Check {
  let check = checks.get(shape);
  if (!check) checks.set(shape, (check = compiledCheck(shape)));
  return check;
}

/**
 * The decorators of a class as one function, so that the events of every write are checked in a fraction of a microsecond;
 * class-validator itself groups and filters its metadata anew for each object. Whatever is not a plain rule about a value or the
 * items of a list (promises, groups, its own nested objects) is left to class-validator.
 */
export function compiledCheck(shape: Shape): Check {
  const storage = getMetadataStorage();
  const rules = new Map<string, Rule>();
  for (const metadata of storage.getTargetValidationMetadatas(shape, '', false, false)) {
    const { propertyName: property, type, constraints, each, validateIf } = metadata;
    let rule = rules.get(property);
    if (!rule) rules.set(property, (rule = { property, conditions: [], tests: [] }));
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) {
      rule.conditions.push(constraints[0] as Rule['conditions'][number]);
      continue;
    }
    if (type !== ValidationTypes.CUSTOM_VALIDATION || validateIf) return never;
    for (const { instance, async } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
      if (async) return never;
      const targetName = shape.name;
      const test = (object: object, value: unknown): boolean =>
        instance.validate(value, { value, constraints, targetName, object, property }) === true;
      // As class-validator has it: what is no list is held to the rule itself.
      const ofItems = (object: object, value: unknown): boolean =>
        Array.isArray(value) ? value.every((item) => test(object, item)) : test(object, value);
      rule.tests.push(each ? ofItems : test);
    }
  }
  return checkOfRules([...rules.values()], new Set(rules.keys()));
}

function checkOfRules(rules: readonly Rule[], known: ReadonlySet<string>): Check {
  return (data) => {
    for (const key of Object.keys(data)) if (!known.has(key)) return false;
    for (const { property, conditions, tests } of rules) {
      const value = (data as Record<string, unknown>)[property];
      if (conditions.every((holds) => holds(data, value)) && !tests.every((passes) => passes(data, value))) return false;
    }
    return true;
  };
}
