import type { Expr } from '../syntax/ast';
import type { Type } from '../types/type';
import { add, exactly, multiply, scale, unbounded, unknownRange, type Range } from './range';

/** An argument of a call, as its cost sees it. */
export interface Operand {
  expr: Expr | undefined;
  type: Type;
  path: readonly string[] | undefined;
  size: Range | undefined;
}

/** What a call costs beside its arguments, and how large its result is. */
export interface CallCost {
  cost: Range;
  size?: Range;
}

/** What walking over a character costs, and a character of a pattern. */
const perCharacter = 0.1;
const perPatternCharacter = 0.25;
const formatPatternMax = 128;
const formatNameMax = 64;

interface Sizes {
  of: (operand: Operand) => Range;
  /** The elements of a list operand, as operands. */
  elementsOf: (operand: Operand) => Operand | undefined;
}

const one: CallCost = { cost: exactly(1) };
const walked = (size: Range): CallCost => ({ cost: scale(size, perCharacter) });

const constants = new Set([
  'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast',
  'format.named', 'sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'major',
  'minor', 'patch', 'getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery', 'serviceAccount', 'path', 'group',
  'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason', 'error', 'errored',
]); // prettier-ignore
const readTexts = new Set(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver']);
const sameSize = new Set(['lowerAscii', 'upperAscii', 'substring', 'trim']);
const listWalks = new Set(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf']);

/** Costs of the functions that Kubernetes adds or prices itself (k8s.io/apiserver, `library/cost.go`); undefined: as cel-go prices it. */
export function kubernetesCallCost(
  name: string,
  id: string,
  target: Operand | undefined,
  args: readonly Operand[],
  sizes: Sizes,
): CallCost | undefined {
  const [first] = args;
  if (name === 'check') return { cost: exactly(350_000) };
  if (constants.has(name)) return one;
  if (listWalks.has(name)) return target && listWalk(target, sizes);
  if (sameSize.has(name)) return target && { ...walked(sizes.of(target)), size: sizes.of(target) };
  if (id === 'cidr_ip') return one;
  if (first && (readTexts.has(name) || name === 'ip')) return walked(sizes.of(first));
  switch (name) {
    case 'fieldSelector':
    case 'labelSelector':
      return args.length === 1 && first ? selector(sizes.of(first)) : undefined;
    case 'url':
    case 'jsonpatch.escapeKey':
      return args.length === 1 && first ? { ...walked(sizes.of(first)), size: sizes.of(first) } : undefined;
    case 'replace':
      return target && replaced(sizes.of(target), args.map(sizes.of));
    case 'split':
      return target && split(sizes.of(target), args[1]);
    case 'join':
      return target && joined(target, first, sizes);
    case 'find':
    case 'findAll':
      return target && first && found(sizes.of(target), sizes.of(first));
    case 'ip.isCanonical':
      return first && { cost: scale(sizes.of(first), 2 * perCharacter) };
    case 'containsIP':
    case 'containsCIDR':
      return first && contained(name, id, sizes.of(first));
    case 'validate':
      return first && { cost: scale(scale(sizes.of(first), perCharacter), formatPatternMax * perPatternCharacter) };
    case '_==_':
      return args.length === 2 ? equality(args as [Operand, Operand]) : undefined;
    default:
      return undefined;
  }
}

/** A list by its elements, texts among them by their lengths; of a text (`indexOf`) its characters. */
function listWalk(target: Operand, sizes: Sizes): CallCost {
  const element = sizes.elementsOf(target);
  if (!element) return walked(sizes.of(target));
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = isText ? add(exactly(1), scale(sizes.of(element), perCharacter)) : exactly(1);
  return { cost: multiply(sizes.of(target), each) };
}

function selector(length: Range): CallCost {
  const requirements = scale(scale(length, 0.5), 10 + 40);
  return { cost: add(exactly(10), scale(length, perCharacter), requirements) };
}

/** How long a text may get when parts of it are replaced. */
function replaced(size: Range, [old, by]: readonly Range[]): CallCost | undefined {
  if (!old || !by) return undefined;
  const count: Range = { min: 0, max: 0 };
  const kept: Range = { min: 0, max: 0 };
  if (old.min === 0) {
    count.max = Math.min(size.max + 1, unbounded);
    kept.max = size.max;
  } else if (by.max <= old.min) kept.max = size.max;
  else count.max = Math.ceil(size.max / old.min);
  if (old.max === 0) {
    count.min = Math.min(size.min + 1, unbounded);
    kept.min = size.min;
  } else if (old.max <= by.min) kept.min = size.min;
  else count.min = Math.ceil(size.min / old.max);
  return { cost: scale(size, 2 * perCharacter), size: add(multiply(count, by), kept) };
}

function split(size: Range, most: Operand | undefined): CallCost {
  const literal = most?.expr?.kind === 'literal' && typeof most.expr.value === 'bigint' ? most.expr.value : undefined;
  const max = literal === undefined ? size.max : Number(BigInt.asUintN(64, literal));
  return { cost: scale(size, 2 * perCharacter), size: { min: 0, max } };
}

function joined(target: Operand, separator: Operand | undefined, sizes: Sizes): CallCost {
  const list = sizes.of(target);
  const element = sizes.elementsOf(target);
  let size: Range = element ? multiply(list, sizes.of(element)) : { min: 0, max: 0 };
  if (separator) {
    const count = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = add(size, multiply(sizes.of(separator), count));
  }
  return { ...walked(size), size };
}

function found(text: Range, pattern: Range): CallCost {
  const cost = multiply(scale(add(text, exactly(1)), perCharacter), scale(pattern, perPatternCharacter));
  return { cost, size: { min: 0, max: text.max } };
}

function contained(name: string, id: string, text: Range): CallCost {
  const address = { min: 4, max: 16 };
  const parts = [scale(add(address, address), perCharacter)];
  if (name === 'containsCIDR') parts.push(scale(address, perCharacter), exactly(1));
  if (id.endsWith('_string')) parts.push(scale(text, perCharacter));
  return { cost: add(...parts) };
}

function equality([left, right]: [Operand, Operand]): CallCost | undefined {
  if (left.type.name !== right.type.name) return undefined;
  switch (left.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return one;
    case 'kubernetes.NamedFormat':
      return { cost: scale({ min: 1, max: formatNameMax }, perCharacter) };
    case 'kubernetes.URL':
      return { cost: scale({ min: 1, max: right.size?.max ?? 1 }, perCharacter) };
    default:
      return undefined;
  }
}

const orders = new Set([
  'equals', 'not_equals',
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((order) => [`${order}_string`, `${order}_bytes`]),
]); // prettier-ignore
const setCosts: Readonly<Record<string, number>> = {
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
};

/** Costs of cel-go's own functions (`checker/cost.go`), those of `&&`, `||`, `?:` and `+` left out; undefined: one. */
export function standardCallCost(id: string, target: Operand | undefined, args: readonly Operand[], sizes: Sizes): CallCost {
  const size = (operand: Operand | undefined): Range => (operand ? sizes.of(operand) : unknownRange);
  const [first, second] = args;
  const times = setCosts[id];
  if (times !== undefined) return { cost: add(scale(multiply(size(first), size(second)), times), exactly(1)) };
  if (orders.has(id)) {
    const most = Math.min(size(first).max, size(second).max);
    return { cost: scale({ min: most > 0 ? 1 : 0, max: most }, perCharacter) };
  }
  switch (id) {
    case 'string_format':
      return walked(size(target));
    case 'string_to_bytes':
      return { ...walked(size(first)), size: { min: size(first).min, max: Math.min(size(first).max * 4, unbounded) } };
    case 'bytes_to_string':
      return { ...walked(size(first)), size: { min: Math.floor(size(first).min / 4), max: size(first).max } };
    case 'strings_quote':
      return { ...walked(size(first)), size: { min: size(first).min + 2, max: doubledWithQuotes(size(first).max) } };
    case 'starts_with_string':
    case 'ends_with_string':
      return walked(size(first));
    case 'in_list':
      return { cost: size(second) };
    case 'matches_string':
      return { cost: multiply(scale(add(size(target), exactly(1)), perCharacter), scale(size(first), perPatternCharacter)) };
    case 'contains_string':
      return { cost: multiply(scale(size(target), perCharacter), scale(size(first), perCharacter)) };
    default:
      return one;
  }
}

/** Of the greatest 64 bit number this is nothing: there cel-go's arithmetic begins again at zero. */
function doubledWithQuotes(max: number): number {
  return max >= unbounded ? 0 : Math.min(max * 2 + 2, unbounded);
}

/** Of `a + b` of texts and lists. */
export function concatenation(id: string, left: Range, right: Range): CallCost {
  const size = add(left, right);
  return id === 'add_list' ? { cost: exactly(1), size } : { ...walked(size), size };
}
