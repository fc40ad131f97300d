import type { EventData } from '#libs/events';
import { formatQuantity } from '#libs/kernel';

type Evicted = EventData<'PodEvictedByKubelet'>;
type Ranked = NonNullable<Evicted['ranking']>[number];

/** Pods listed one by one. */
const listedMax = 20;

/** The ranking behind an eviction, a line a pod, as the kubelet compares them: over the request, priority, amount over it. */
export function rankingLines({ namespace, pod, ranking = [] }: Evicted): string[] {
  const isVictim = (ranked: Ranked): boolean => ranked.namespace === namespace && ranked.name === pod;
  const names = ranking.map(({ namespace: of, name }) => `${of}/${name}`);
  const width = Math.max(0, ...names.slice(0, listedMax).map(({ length }) => length));
  const lines = ranking
    .slice(0, listedMax)
    .map((ranked, index) => `${isVictim(ranked) ? '→' : ' '} ${(names[index] ?? '').padEnd(width)}  ${rankWords(ranked)}`);
  return ranking.length > listedMax ? [...lines, `  … and ${ranking.length - listedMax} more`] : lines;
}

function rankWords({ usage, request, priority, isCritical }: Ranked): string {
  const safe = isCritical ? '; critical: never evicted' : '';
  if (usage === undefined) return `nothing can be measured yet, priority ${priority}${safe}`;
  const over = usage > request ? `over its request by ${bytes(usage - request)}` : `within its request, by ${bytes(request - usage)}`;
  return `${over} (uses ${bytes(usage)} of ${bytes(request)}), priority ${priority}${safe}`;
}

function bytes(amount: number): string {
  return formatQuantity({ nano: BigInt(amount) * 1_000_000_000n, format: 'BinarySI' });
}

/** What a kubelet has found its node to be short of, or not any more. */
export function pressureWords({ node, met, conditions }: EventData<'NodePressureObserved'>): string {
  const crossed = met.map(
    ({ threshold, available, isRipe }) => `${threshold} (${bytes(available)} left${isRipe ? '' : '; its grace runs'})`,
  );
  const held = conditions.map(({ type }) => type).join(', ');
  const shown = held ? `; it shows ${held}` : '';
  return crossed.length > 0 ? `node ${node} is short: ${crossed.join(', ')}${shown}` : `node ${node} is short of nothing any more${shown}`;
}
