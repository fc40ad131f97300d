import { parseQuantity, quantityMilli, quantityValue } from '#libs/kernel';
import { parseTimeline, type Word, type Words } from './grammar';
import type { Timeline } from './timeline';
import type { UsageStep } from './usage';

type Amount = (text: string) => number | undefined;

const whole: Amount = (text) => (parseQuantity(text) ? quantityValue(text) : undefined);
const millicores: Amount = (text) => (parseQuantity(text) ? quantityMilli(text) : undefined);

/** `100Mi; from 30s 200Mi; from 1m 200Mi grows 1Mi/s up to 1Gi`, in bytes; `200k`: a number of something. */
export const amountUsed = (value: string | undefined): readonly UsageStep[] => timelineOf(value, whole)?.steps ?? [];

/** `50m; from 10s 1500m; again after 1m`, in millicores. */
export function cpuUsed(value: string | undefined): { cpu: readonly UsageStep[]; cpuCycleMs?: number } {
  const { steps: cpu = [], cycleMs } = timelineOf(value, millicores) ?? {};
  return { cpu, ...(cycleMs === undefined ? {} : { cpuCycleMs: cycleMs }) };
}

function timelineOf(value: string | undefined, amountOf: Amount): Timeline<Omit<UsageStep, 'fromMs'>> | undefined {
  return value === undefined ? undefined : parseTimeline(value, (words) => readUsage(words, amountOf));
}

const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

function readUsage(words: Words, amountOf: Amount): Omit<UsageStep, 'fromMs'> | undefined {
  const amount = amountOf(textOf(words.next()));
  if (amount === undefined || words.isOver) return amount === undefined ? undefined : { amount };
  if (!words.take('grows')) return undefined;
  const [growth = '', per = ''] = textOf(words.next()).split('/');
  const more = amountOf(growth);
  const seconds = secondsPer[per];
  if (more === undefined || seconds === undefined) return undefined;
  const max = words.take('up', 'to') ? amountOf(textOf(words.next())) : Number.POSITIVE_INFINITY;
  if (max === undefined) return undefined;
  return { amount, growthPerSecond: more / seconds, ...(max === Number.POSITIVE_INFINITY ? {} : { max }) };
}

const textOf = (word: Word | undefined): string => word?.text ?? '';
