import { define, member, overload, type FunctionDecl } from '../types/functions';
import { boolType, intType, objectType, stringType } from '../types/type';
import { EvaluationError, ExtensionValue } from '../values/value';

export const semverType = objectType('kubernetes.Semver');

class SemverValue extends ExtensionValue {
  readonly type = semverType;
  constructor(
    readonly numbers: readonly [bigint, bigint, bigint],
    readonly preRelease: readonly string[],
  ) {
    super();
  }
  equals(other: SemverValue): boolean {
    return order(this, other) === 0n;
  }
}

const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const grammar = new RegExp(
  `^(0|[1-9]\\d{0,19})\\.(0|[1-9]\\d{0,19})\\.(0|[1-9]\\d{0,19})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

function parse(text: string): SemverValue | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const numbers = match.slice(1, 4).map(BigInt) as [bigint, bigint, bigint];
  if (numbers.some((number) => BigInt.asUintN(64, number) !== number)) return undefined;
  return new SemverValue(numbers, match[4]?.split('.') ?? []);
}

/** `v1.02` is 1.2.0: a letter v, zeros ahead and missing parts are made good. */
function parseNormalized(text: string): SemverValue | undefined {
  const [first = '', second, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length > 0 ? [rest.join('.')] : [])];
  const plain = parts.map((part) => (part.length > 1 ? part.replace(/^0+(?!\d)/, '0').replace(/^0+(?=\d)/, '') : part));
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) as string)) return undefined;
  while (plain.length < 3) plain.push('0');
  return parse(plain.join('.'));
}

function semver(text: string, normalizes = false): SemverValue {
  const parsed = normalizes ? parseNormalized(text) : parse(text);
  if (!parsed) throw new EvaluationError(problemOf(text, normalizes));
  return parsed;
}

/** What is wrong with a text, as Go's semver package says it. */
function problemOf(text: string, normalizes: boolean): string {
  if (text === '') return 'Version string empty';
  const parts = text.split('.');
  if (parts.length < 3)
    return normalizes ? 'short version cannot contain PreRelease/Build meta data' : 'No Major.Minor.Patch elements found';
  const patch = parts.slice(2).join('.');
  const [, number = '', preRelease] = /^([^+-]*)(?:-([^+]*))?/.exec(patch) ?? [];
  for (const [name, part] of [
    ['major', parts[0]],
    ['minor', parts[1]],
    ['patch', number],
  ] as [string, string][]) {
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (/^0\d/.test(part))
      return `${name.replace(/^./, (letter) => letter.toUpperCase())} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  for (const part of preRelease?.split('.') ?? []) {
    if (part === '') return 'Prerelease is empty';
    if (/^0\d+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`;
    if (!/^[0-9A-Za-z-]+$/.test(part)) return `Invalid character(s) found in prerelease ${JSON.stringify(part)}`;
  }
  const build = patch.includes('+') ? patch.slice(patch.indexOf('+') + 1) : undefined;
  const bad = build?.split('.').find((part) => !/^[0-9A-Za-z-]+$/.test(part));
  if (bad === undefined) return `Version number out of range ${JSON.stringify(text)}`;
  return bad === '' ? 'Build meta data is empty' : `Invalid character(s) found in build meta data ${JSON.stringify(bad)}`;
}

function order(a: SemverValue, b: SemverValue): bigint {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] as bigint;
    if (number !== other) return number < other ? -1n : 1n;
  }
  return orderOfPreReleases(a.preRelease, b.preRelease);
}

/** A release comes after its pre-releases; numbers come before words. */
function orderOfPreReleases(a: readonly string[], b: readonly string[]): bigint {
  if (a.length === 0 || b.length === 0) return BigInt(Number(a.length === 0) - Number(b.length === 0));
  for (const [index, word] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1n;
    if (word === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(word), /^\d+$/.test(other)];
    if (isNumber !== isOtherNumber) return isNumber ? -1n : 1n;
    const isLess = isNumber ? BigInt(word) < BigInt(other) : word < other;
    return isLess ? -1n : 1n;
  }
  return a.length < b.length ? -1n : 0n;
}

const pair = [semverType, semverType];

export const semverFunctions: readonly FunctionDecl[] = [
  define(
    'semver',
    overload('string_to_semver', [stringType], semverType, (text: string) => semver(text)),
    overload('string_bool_to_semver', [stringType, boolType], semverType, semver),
  ),
  define(
    'isSemver',
    overload('is_semver_string', [stringType], boolType, (text: string) => parse(text) !== undefined),
    overload(
      'is_semver_string_bool',
      [stringType, boolType],
      boolType,
      (text: string, normalizes: boolean) => (normalizes ? parseNormalized(text) : parse(text)) !== undefined,
    ),
  ),
  define(
    'isGreaterThan',
    member('semver_is_greater_than', pair, boolType, (a: SemverValue, b: SemverValue) => order(a, b) > 0n),
  ),
  define(
    'isLessThan',
    member('semver_is_less_than', pair, boolType, (a: SemverValue, b: SemverValue) => order(a, b) < 0n),
  ),
  define('compareTo', member('semver_compare_to', pair, intType, order)),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    define(
      name,
      member(`semver_${name}`, [semverType], intType, ({ numbers }: SemverValue) => numbers[index] as bigint),
    ),
  ),
];
