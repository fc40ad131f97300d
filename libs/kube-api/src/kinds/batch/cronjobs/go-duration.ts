import { goQuote } from '../../../status/go-value';

const unitsNs: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
/** A duration is a signed number of nanoseconds in 64 bits. */
const largest = 2n ** 63n;

/** Why Go cannot read a duration such as `1h30m`, in its words; undefined when it can. */
export function durationProblem(text: string): string | undefined {
  const invalid = `time: invalid duration ${goQuote(text)}`;
  const [, sign = '', rest = ''] = /^([-+]?)(.*)$/s.exec(text) as unknown as string[];
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let total = 0n;
  for (let left = rest; left !== '';) {
    const [whole = '', before = '', after = ''] = /^(\d*)(?:\.(\d*))?/.exec(left) as unknown as string[];
    if (before === '' && after === '') return invalid;
    left = left.slice(whole.length);
    const unit = /^[^.\d]*/.exec(left)?.[0] ?? '';
    if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
    const scale = Object.hasOwn(unitsNs, unit) ? unitsNs[unit] : undefined;
    if (scale === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    const fraction = after.slice(0, 18);
    total += BigInt(before || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
    if (total > largest) return invalid;
    left = left.slice(unit.length);
  }
  return total === largest && sign !== '-' ? invalid : undefined;
}
