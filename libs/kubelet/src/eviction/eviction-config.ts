import { parseDuration, parseQuantity, quantityValue } from '#libs/kernel';
import { isSignal, type Signal } from './signals';
import type { EvictionConfig, Threshold, ThresholdValue } from './thresholds';

type Statements = Readonly<Record<string, string>>;

/** The fields of a KubeletConfiguration that set up eviction, as they are written there. */
export interface EvictionSettings {
  evictionHard?: Statements;
  evictionSoft?: Statements;
  evictionSoftGracePeriod?: Statements;
  evictionMinimumReclaim?: Statements;
  evictionPressureTransitionPeriod?: string;
  evictionMaxPodGracePeriod?: number;
  mergeDefaultEvictionSettings?: boolean;
  enforceNodeAllocatable?: readonly string[];
}

/** What is set for Linux where nothing is said (upstream `DefaultEvictionHard`). */
const defaultHard: Statements = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};
const defaultTransitionMs = 300_000;

/** Hard thresholds that are given take the place of all the usual ones: whoever sets one has to set them all (upstream too). */
export function evictionConfigOf(settings: EvictionSettings = {}): EvictionConfig {
  const { evictionHard, mergeDefaultEvictionSettings, enforceNodeAllocatable = ['pods'] } = settings;
  const hard = evictionHard === undefined ? defaultHard : mergeDefaultEvictionSettings ? { ...defaultHard, ...evictionHard } : evictionHard;
  const graces = durationsOf(settings.evictionSoftGracePeriod ?? {});
  const reclaims = reclaimsOf(settings.evictionMinimumReclaim ?? {});
  const thresholds = [
    ...thresholdsOf(hard, reclaims, () => 0),
    ...thresholdsOf(settings.evictionSoft ?? {}, reclaims, (signal) => {
      const grace = graces.get(signal);
      if (grace === undefined) throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
      return grace;
    }),
  ];
  return {
    thresholds: [
      ...thresholds.filter(({ signal }) => !signal.startsWith('containerfs.')),
      ...thresholds.flatMap(derived(enforceNodeAllocatable.includes('pods'))),
    ],
    transitionMs: durationOf(settings.evictionPressureTransitionPeriod) ?? defaultTransitionMs,
    maxPodGraceSeconds: settings.evictionMaxPodGracePeriod ?? 0,
  };
}

/** There is one disk, so containers are as short of it as the node; and pods as a whole may be as short of memory as it. */
const derived =
  (enforcesAllocatable: boolean) =>
  (threshold: Threshold): Threshold[] => {
    const { signal, graceMs } = threshold;
    if (signal === 'memory.available')
      return enforcesAllocatable && graceMs === 0 ? [renamed(threshold, 'allocatableMemory.available')] : [];
    if (signal === 'nodefs.available') return [renamed(threshold, 'containerfs.available')];
    return signal === 'nodefs.inodesFree' ? [renamed(threshold, 'containerfs.inodesFree')] : [];
  };

const renamed = (threshold: Threshold, signal: Signal): Threshold => ({
  ...threshold,
  signal,
  name: threshold.name.replace(threshold.signal, signal),
});

function thresholdsOf(
  statements: Statements,
  reclaims: ReadonlyMap<Signal, ThresholdValue>,
  graceOf: (signal: Signal) => number,
): Threshold[] {
  return Object.entries(statements).flatMap(([name, text]) => {
    const signal = signalOf(name);
    if (text === '0%' || text === '100%') return [];
    const value = text.endsWith('%') ? partOf(signal, text) : positiveQuantity(signal, text);
    const graceMs = graceOf(signal);
    const minReclaim = reclaims.get(signal);
    const grace = graceMs === 0 ? '' : ` for ${graceMs / 1_000}s`;
    return [{ signal, value, graceMs, ...(minReclaim ? { minReclaim } : {}), name: `${signal}<${text}${grace}` }];
  });
}

function reclaimsOf(statements: Statements): Map<Signal, ThresholdValue> {
  const reclaims = new Map<Signal, ThresholdValue>();
  for (const [name, text] of Object.entries(statements)) {
    const signal = signalOf(name);
    if (text.endsWith('%')) {
      const value = { part: percentageOf(text) };
      if (!(value.part > 0)) throw new Error(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
      reclaims.set(signal, value);
    } else {
      if (!parseQuantity(text)) throw new Error(unreadable(text));
      if (quantityValue(text) < 0) throw new Error(`negative eviction minimum reclaim specified for ${signal}`);
      reclaims.set(signal, { quantity: text });
    }
  }
  return reclaims;
}

function durationsOf(statements: Statements): Map<Signal, number> {
  return new Map(
    Object.entries(statements).map(([name, text]) => {
      const signal = signalOf(name);
      const duration = parseDuration(text, ['d']);
      if (duration === undefined) throw new Error(`time: invalid duration "${text}"`);
      return [signal, duration];
    }),
  );
}

function durationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text, ['d']);
  if (duration === undefined) throw new Error(`time: invalid duration "${text}"`);
  // 0 is the usual one, as wherever a KubeletConfiguration says nothing.
  return duration === 0 ? undefined : duration;
}

function signalOf(name: string): Signal {
  if (!isSignal(name)) throw new Error(`unsupported eviction signal ${name}`);
  return name;
}

function partOf(signal: Signal, text: string): ThresholdValue {
  const part = percentageOf(text);
  if (part < 0) throw new Error(`eviction percentage threshold ${signal} must be >= 0%: ${text}`);
  if (part > 1) throw new Error(`eviction percentage threshold ${signal} must be <= 100%: ${text}`);
  return { part };
}

/** In the precision in which upstream keeps it: a tenth is a little more than a tenth. */
function percentageOf(text: string): number {
  const value = Number(text.slice(0, -1));
  if (text.length === 1 || Number.isNaN(value)) throw new Error(`strconv.ParseFloat: parsing "${text.slice(0, -1)}": invalid syntax`);
  return Math.fround(Math.fround(value) / 100);
}

function positiveQuantity(signal: Signal, text: string): ThresholdValue {
  const quantity = parseQuantity(text);
  if (!quantity) throw new Error(unreadable(text));
  if (quantity.nano <= 0n) throw new Error(`eviction threshold ${signal} must be positive: ${text}`);
  return { quantity: text };
}

const unreadable = (_text: string): string => "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
