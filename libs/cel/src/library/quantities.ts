import { parseQuantity } from '#libs/kernel';
import { define, member, overload, type FunctionDecl } from '../types/functions';
import { boolType, doubleType, intType, objectType, stringType } from '../types/type';
import { EvaluationError, ExtensionValue } from '../values/value';

export const quantityType = objectType('kubernetes.Quantity');

const nano = 1_000_000_000n;

/** A quantity and how it is kept: whether it counts as an integer depends on how it was written. */
class QuantityValue extends ExtensionValue {
  readonly type = quantityType;
  constructor(
    readonly nanos: bigint,
    /** Power of ten of its last digit; undefined: kept as an arbitrary decimal. */
    readonly scale: number | undefined,
  ) {
    super();
  }
  equals(other: QuantityValue): boolean {
    return this.nanos === other.nanos;
  }
  /** Undefined: it has no integer, or not the form of one. */
  get integer(): bigint | undefined {
    if (this.scale === undefined || this.scale < 0) return undefined;
    const value = this.nanos / nano;
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }
  plus(other: QuantityValue): QuantityValue {
    const nanos = this.nanos + other.nanos;
    if (this.scale === undefined || other.scale === undefined) return new QuantityValue(nanos, undefined);
    if (other.nanos === 0n) return this;
    if (this.nanos === 0n) return new QuantityValue(nanos, other.scale);
    return new QuantityValue(nanos, Math.min(this.scale, other.scale));
  }
  get negated(): QuantityValue {
    return new QuantityValue(-this.nanos, this.scale);
  }
}

const shape = /^[+-]?0*(\d*)(?:\.(\d*))?([a-zA-Z].*)?$/;
const exponents: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** The scale at which apimachinery keeps a text in 64 bits; undefined: it keeps an arbitrary decimal. */
function scaleOf(text: string): number | undefined {
  const [, whole = '', fraction, suffix = ''] = shape.exec(text) ?? [];
  const digits = whole.length + (fraction?.length ?? 0);
  const binary = binaryExponents[suffix];
  if (binary !== undefined) return fraction === undefined && 15 - digits - Math.floor(binary * 0.3) - 1 >= 0 ? 0 : undefined;
  const scale = (exponents[suffix] ?? Number(suffix.slice(1))) - (fraction?.length ?? 0);
  return digits <= 18 && scale >= -9 ? scale : undefined;
}

function quantity(text: string): QuantityValue {
  const parsed = parseQuantity(text);
  if (!parsed) throw new EvaluationError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return new QuantityValue(parsed.nano, scaleOf(text));
}

function integerOf(value: QuantityValue): bigint {
  const { integer } = value;
  if (integer === undefined) throw new EvaluationError('cannot convert value to integer');
  return integer;
}

const whole = (value: bigint): QuantityValue => new QuantityValue(value * nano, 0);
const order = (a: QuantityValue, b: QuantityValue): bigint => (a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n);
const pair = [quantityType, quantityType];

export const quantityFunctions: readonly FunctionDecl[] = [
  define('quantity', overload('string_to_quantity', [stringType], quantityType, quantity)),
  define(
    'isQuantity',
    overload('is_quantity_string', [stringType], boolType, (text: string) => parseQuantity(text) !== undefined),
  ),
  define(
    'sign',
    overload('quantity_sign', [quantityType], intType, (value: QuantityValue) => order(value, whole(0n))),
  ),
  define(
    'isGreaterThan',
    member('quantity_is_greater_than', pair, boolType, (a: QuantityValue, b: QuantityValue) => a.nanos > b.nanos),
  ),
  define(
    'isLessThan',
    member('quantity_is_less_than', pair, boolType, (a: QuantityValue, b: QuantityValue) => a.nanos < b.nanos),
  ),
  define('compareTo', member('quantity_compare_to', pair, intType, order)),
  define(
    'asApproximateFloat',
    member('quantity_get_float', [quantityType], doubleType, ({ nanos, scale }: QuantityValue) => approximate(nanos, scale)),
  ),
  define('asInteger', member('quantity_get_int', [quantityType], intType, integerOf)),
  define(
    'isInteger',
    member('quantity_is_integer', [quantityType], boolType, (value: QuantityValue) => value.integer !== undefined),
  ),
  define(
    'add',
    member('quantity_add', pair, quantityType, (a: QuantityValue, b: QuantityValue) => a.plus(b)),
    member('quantity_add_int', [quantityType, intType], quantityType, (a: QuantityValue, b: bigint) => a.plus(whole(b))),
  ),
  define(
    'sub',
    member('quantity_sub', pair, quantityType, (a: QuantityValue, b: QuantityValue) => a.plus(b.negated)),
    member('quantity_sub_int', [quantityType, intType], quantityType, (a: QuantityValue, b: bigint) => a.plus(whole(-b))),
  ),
];

/** Its digits as a double, times the power of ten. */
function approximate(nanos: bigint, scale: number | undefined): number {
  if (scale === undefined || scale > 0) return Number(nanos / nano) + Number(nanos % nano) / 1e9;
  return Number(nanos / 10n ** BigInt(9 + scale)) * Number(`1e${scale}`);
}
