import { DeclaredType, Environment, quantityType, Type } from '#libs/cel';
import { compileAs, type CompiledAs } from './compile-as';
import { map, object, textOf } from './declared';
import { expressionFunctions } from './functions';

const perDeviceMax = 32;
const domain = textOf(63);
const id = textOf(32);
/** Of any type, and told of by its name. */
const unknownType = new Type('dyn', 'any');
const attribute = new DeclaredType(unknownType, 64, 1);
const quantity = new DeclaredType(quantityType, 0, 8);

/** `device`, in expressions that choose devices (k8s.io/dynamic-resource-allocation, `cel/compile.go`). */
const device = object('kubernetes.DRADevice', {
  driver: textOf(63),
  attributes: map(map(attribute, perDeviceMax, id), perDeviceMax, domain),
  capacity: map(map(quantity, perDeviceMax, id), perDeviceMax, domain),
});

const costMax = 1_000_000;

/** Compiles the expression of a device selector. `isTooComplex`: it could cost more than is allowed. */
export function compileDeviceSelector(text: string): CompiledAs & { isTooComplex: boolean } {
  const environment = new Environment(expressionFunctions(), new Map([['device', { type: device.type, declared: device }]]), true);
  const compiled = compileAs(
    text,
    environment,
    (type) => type.kind === 'bool' || type.name === unknownType.name,
    (type) => `must evaluate to bool or the unknown type, not ${type}`,
  );
  return { ...compiled, isTooComplex: compiled.problem === undefined && (compiled.expression?.estimatedCost() ?? 0) > costMax };
}
