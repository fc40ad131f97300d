import type { Report } from './report';

/** Alike but for their messages, so many are told apart (client-go `tools/record`, `defaultAggregateMaxEvents`); more are combined. */
const toldApartMax = 10;
/** What was alike so long ago counts no more, ms. */
const alikeForMs = 600_000;
/** So many Events of a type may a component write about an object at once, and another one after each `refillMs`. */
const burst = 25;
const refillMs = 300_000;
const combined = '(combined from similar events): ';

/** What a recorder of core events remembers of one object. Plain JSON, never changed: it is kept with checkpoints. */
export interface Correlation {
  /** Messages that were told apart, by what they are alike in. */
  alike: Readonly<Record<string, { messages: readonly string[]; last: number }>>;
  /** What may still be written, by component and type. */
  budgets: Readonly<Record<string, { left: number; at: number }>>;
  /** How often something was held back since it was told last, by what would have been told. */
  heldBack: Readonly<Record<string, number>>;
}

export interface Correlated {
  correlation: Correlation;
  /** What is written; absent: it is held back. */
  told?: {
    /** The Event that it is, or is counted on. */
    key: string;
    message: string;
    /** How often it was held back before. */
    heldBack: number;
  };
}

const none: Correlation = { alike: {}, budgets: {}, heldBack: {} };

/**
 * What becomes of a report before it is written (client-go `tools/record`, `EventCorrelator`): many that differ in their messages alone
 * become one, and too many of them about one object are held back, though counted.
 * @param key of the Event that it would be
 * @param now cluster time, ms
 */
export function correlate(
  { regarding, component, type, reason, message }: Report,
  key: string,
  now: number,
  { alike, budgets, heldBack }: Correlation = none,
): Correlated {
  const source = `${component} ${type}`;
  const kin = `${source} ${reason}`;
  const kinship = withMessage(alike[kin], message, now);
  const toldKey = kinship.isCombined ? `${regarding.uid} ${kin}` : key;
  const budget = budgetAt(budgets[source], now);
  const correlation: Correlation = {
    alike: { ...alike, [kin]: kinship.record },
    budgets: { ...budgets, [source]: { left: budget >= 1 ? budget - 1 : budget, at: now } },
    heldBack,
  };
  const { [toldKey]: before = 0, ...others } = heldBack;
  if (budget < 1) return { correlation: { ...correlation, heldBack: { ...others, [toldKey]: before + 1 } } };
  const text = kinship.isCombined ? combined + message : message;
  return { correlation: { ...correlation, heldBack: others }, told: { key: toldKey, message: text, heldBack: before } };
}

/** Whether there are too many of a kin with this message, and who they are then. Upstream forgets a message by chance when it combines: here the new one. */
function withMessage(
  known: Correlation['alike'][string] | undefined,
  message: string,
  now: number,
): { record: NonNullable<typeof known>; isCombined: boolean } {
  const messages = known && now - known.last <= alikeForMs ? known.messages : [];
  if (messages.includes(message)) return { record: { messages, last: now }, isCombined: false };
  const isCombined = messages.length + 1 >= toldApartMax;
  return { record: { messages: isCombined ? messages : [...messages, message], last: now }, isCombined };
}

function budgetAt(known: Correlation['budgets'][string] | undefined, now: number): number {
  return known ? Math.min(burst, known.left + (now - known.at) / refillMs) : burst;
}
