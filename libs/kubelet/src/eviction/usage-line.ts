import type { UsageStep } from '../behaviour';

/** From a moment (ms since the epoch) until the next piece: so much, and so much more with each ms. */
export interface Piece {
  from: number;
  amount: number;
  perMs: number;
}

/** What is used over time, in pieces by time; nothing before the first. */
export type UsageLine = readonly Piece[];

/** What a container uses whose run began at a moment, where `usual` is what it uses when nothing is said. */
export function lineOf(steps: readonly UsageStep[], startedAt: number, usual: number): UsageLine {
  const line: Piece[] = [];
  if (!steps[0] || steps[0].fromMs > 0) line.push({ from: startedAt, amount: usual, perMs: 0 });
  steps.forEach(({ fromMs, amount, growthPerSecond = 0, max = Number.POSITIVE_INFINITY }, index) => {
    const from = startedAt + fromMs;
    if (growthPerSecond === 0 || amount >= max) {
      line.push({ from, amount: Math.min(amount, max), perMs: 0 });
      return;
    }
    const perMs = growthPerSecond / 1_000;
    line.push({ from, amount, perMs });
    const next = steps[index + 1];
    const fullAt = perMs > 0 ? from + (max - amount) / perMs : Number.POSITIVE_INFINITY;
    if (fullAt < startedAt + (next?.fromMs ?? Number.POSITIVE_INFINITY)) line.push({ from: fullAt, amount: max, perMs: 0 });
  });
  return line;
}

export function usedAt(line: UsageLine, time: number): number {
  let found: Piece | undefined;
  for (const piece of line) {
    if (piece.from > time) break;
    found = piece;
  }
  return found ? found.amount + found.perMs * (time - found.from) : 0;
}

/** The first whole ms, from a moment on, at which more than `bound` is used; undefined: it never comes to that. */
export function firstExcess(line: UsageLine, bound: number, start: number): number | undefined {
  for (let index = 0; index < line.length; index++) {
    const { from, amount, perMs } = line[index] as Piece;
    const end = line[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const first = Math.ceil(Math.max(from, start));
    if (first >= end) continue;
    if (usedAt(line, first) > bound) return first;
    if (perMs <= 0) continue;
    // The crossing itself finds just the bound.
    const crossing = Math.floor(from + (bound - amount) / perMs) + 1;
    if (crossing < end) return Math.max(first, crossing);
  }
  return undefined;
}

/** All of them together. */
export function sumOf(lines: readonly UsageLine[]): UsageLine {
  if (lines.length === 1) return lines[0] as UsageLine;
  const changes = lines.flatMap((line) => line.map((piece, index) => ({ piece, before: line[index - 1] })));
  changes.sort((a, b) => a.piece.from - b.piece.from);
  const sum: Piece[] = [];
  let amount = 0;
  let perMs = 0;
  let at = changes[0]?.piece.from ?? 0;
  for (const { piece, before } of changes) {
    amount += perMs * (piece.from - at);
    at = piece.from;
    amount += piece.amount - (before ? before.amount + before.perMs * (piece.from - before.from) : 0);
    perMs += piece.perMs - (before?.perMs ?? 0);
    const last = sum[sum.length - 1];
    if (last?.from === at) sum[sum.length - 1] = { from: at, amount, perMs };
    else sum.push({ from: at, amount, perMs });
  }
  return sum;
}

/** Looks that come at equal distances: `from` is one of them. */
export interface Looks {
  from: number;
  everyMs: number;
}

/** The first look at this moment or after it. */
export function lookFrom({ from, everyMs }: Looks, time: number): number {
  return from + Math.ceil((time - from) / everyMs) * everyMs;
}

/** The last look before this moment, or at it. */
export function lookBefore({ from, everyMs }: Looks, time: number): number {
  return from + Math.floor((time - from) / everyMs) * everyMs;
}

/** The first look from the given one on that finds more used than `bound` (with `above` false: no more than that); undefined: none ever. */
export function firstLook(line: UsageLine, looks: Looks, start: number, bound: number, above: boolean): number | undefined {
  const isFound = (look: number): boolean => usedAt(line, look) > bound === above;
  if (isFound(start)) return start;
  for (let i = 0; i < line.length; i++) {
    const { from, amount, perMs } = line[i] as Piece;
    const end = line[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const first = Math.max(start, lookFrom(looks, from));
    if (first >= end) continue;
    if (isFound(first)) return first;
    if (perMs === 0) continue;
    // The look at the crossing itself may still find just the bound: then it is the next one.
    const crossing = Math.max(first, lookFrom(looks, from + (bound - amount) / perMs));
    for (const look of [crossing, crossing + looks.everyMs]) if (look < end && isFound(look)) return look;
  }
  return undefined;
}
