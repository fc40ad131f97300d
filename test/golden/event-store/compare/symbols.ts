// Values that each node makes anew: bound to what the server under test gives first, the same from then on.

const POSITION = /^P\d+$/;
const ID = /^U\d+$/;
const IN_REQUEST = /^([PU]\d+)([+-]\d+)?$/;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TICKS_A_MS = 10_000n;
/** 0001-01-01, where .NET's ticks begin, to 1970, in ticks. */
const TICKS_EPOCH = 621_355_968_000_000_000n;
const NOW_TOLERANCE_MS = 600_000;

function areTicksOfNow(text: unknown): boolean {
  if (typeof text !== 'string' || !/^\d+$/.test(text)) return false;
  const ticks = BigInt(text);
  return [ticks, ticks - TICKS_EPOCH].some((since) => Math.abs(Number(since / TICKS_A_MS) - Date.now()) < NOW_TOLERANCE_MS);
}

export class Symbols {
  private readonly bound = new Map<string, string>();

  constructor(private readonly order: readonly string[] | undefined) {}

  /** A request's text with symbols replaced. @throws when a symbol has no value yet */
  readonly substitute = (text: string): string => {
    const [, symbol, offset] = IN_REQUEST.exec(text) ?? [];
    if (symbol === undefined) return text;
    const value = this.bound.get(symbol);
    if (value === undefined) throw new Error(`${symbol} has no value yet`);
    return String(BigInt.asUintN(64, BigInt(value) + BigInt(offset ?? 0)));
  };

  /** What is wrong with the value where a recording has a placeholder; undefined: nothing; false: it is no placeholder. */
  placeholder(expected: string, actual: unknown): string | undefined | false {
    if (POSITION.test(expected) || ID.test(expected)) return this.bind(expected, actual);
    if (!expected.startsWith('#')) return false;
    if (expected === '#ticks') return areTicksOfNow(actual) ? undefined : `no ticks of now: ${String(actual)}`;
    if (expected === '#uuid') return UUID.test(String(actual)) ? undefined : `no UUID: ${String(actual)}`;
    return actual === undefined ? 'nothing there' : undefined;
  }

  private bind(symbol: string, actual: unknown): string | undefined {
    if (typeof actual !== 'string') return `${symbol} expected, got ${JSON.stringify(actual) ?? 'nothing'}`;
    const before = this.bound.get(symbol);
    if (before === undefined) this.bound.set(symbol, actual);
    return before === undefined || before === actual ? undefined : `${symbol} was ${before}, is ${actual}`;
  }

  /** Positions that are not in the recording's order, told; empty: none. */
  disorder(): string[] {
    const byName = [...this.bound.keys()].filter((symbol) => POSITION.test(symbol)).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    const ascending = (this.order ?? byName).filter((symbol) => POSITION.test(symbol) && this.bound.has(symbol));
    return ascending.flatMap((symbol, i) => {
      const next = ascending[i + 1];
      if (next === undefined || BigInt(this.bound.get(symbol)!) < BigInt(this.bound.get(next)!)) return [];
      return [`${symbol} (${this.bound.get(symbol)}) is not before ${next} (${this.bound.get(next)})`];
    });
  }
}
