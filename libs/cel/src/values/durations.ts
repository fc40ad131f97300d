import { plainDouble } from './numbers';
import { Duration, EvaluationError } from './value';

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n, us: 1_000n, 'µs': 1_000n, 'μs': 1_000n, ms: 1_000_000n, s: 1_000_000_000n, m: 60_000_000_000n, h: 3_600_000_000_000n,
}; // prettier-ignore
const part = /(\d{0,40})(?:\.(\d{0,40}))?(ns|us|µs|μs|ms|s|m|h)/y;

/** `1h30m`, `-1.5s`, as Go's ParseDuration reads it; undefined for anything else. */
export function parseGoDuration(text: string): bigint | undefined {
  const isNegative = text.startsWith('-');
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '' || rest.length > 200) return undefined;
  let nanos = 0n;
  for (let index = 0; index < rest.length; index = part.lastIndex) {
    part.lastIndex = index;
    const [, whole = '', fraction = '', unit = ''] = part.exec(rest) ?? [];
    if (unit === '' || whole + fraction === '') return undefined;
    const scale = unitNanos[unit] as bigint;
    nanos += BigInt(whole || '0') * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  const signed = isNegative ? -nanos : nanos;
  return BigInt.asIntN(64, signed) === signed ? signed : undefined;
}

/** @throws EvaluationError beyond 64 bits of nanoseconds */
export function duration(nanos: bigint): Duration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new EvaluationError('duration overflow');
  return new Duration(nanos);
}

const second = 1_000_000_000n;

/** Seconds as a double, `90s`, `1.5s`. */
export function formatDuration({ nanos }: Duration): string {
  return `${plainDouble(secondsOf(nanos))}s`;
}

function secondsOf(nanos: bigint): number {
  return Number(nanos / second) + Number(nanos % second) / 1e9;
}
