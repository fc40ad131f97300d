import type { EventData } from '#libs/events';
import { formatQuantity } from '#libs/kernel';

type Evicted = EventData<'PodEvictedByKubelet'>;
type Ranked = NonNullable<Evicted['ranking']>[number];

/** Pods listed one by one. */
const listedMax = 20;

/** The ranking behind an eviction, a line a pod, as the kubelet compares them: over the request, priority, amount over it. */
export function rankingLines({ namespace, pod, resource, ranking = [] }: Evicted): string[] {
  const isVictim = (ranked: Ranked): boolean => ranked.namespace === namespace && ranked.name === pod;
  const names = ranking.map(({ namespace: of, name }) => `${of}/${name}`);
  const width = Math.max(0, ...names.slice(0, listedMax).map(({ length }) => length));
  const lines = ranking
    .slice(0, listedMax)
    .map((ranked, index) => `${isVictim(ranked) ? '→' : ' '} ${(names[index] ?? '').padEnd(width)}  ${rankWords(ranked, resource)}`);
  return ranking.length > listedMax ? [...lines, `  … and ${ranking.length - listedMax} more`] : lines;
}

function rankWords({ usage, request, priority, isCritical }: Ranked, resource: string | undefined): string {
  const safe = isCritical ? '; critical: never evicted' : '';
  if (usage === undefined) return `nothing can be measured yet, priority ${priority}${safe}`;
  // Nobody can ask for files or processes.
  if (resource === 'inodes' || resource === 'pids') return `uses ${usage} ${resource}, priority ${priority}${safe}`;
  const over = usage > request ? `over its request by ${bytes(usage - request)}` : `within its request, by ${bytes(request - usage)}`;
  return `${over} (uses ${bytes(usage)} of ${bytes(request)}), priority ${priority}${safe}`;
}

function bytes(amount: number): string {
  return formatQuantity({ nano: BigInt(amount) * 1_000_000_000n, format: 'BinarySI' });
}

/** @param threshold begins with its signal: files and processes are counted, all else is bytes */
function amountLeft(threshold: string, available: number): string {
  return /^pid\.|\.inodesFree/.test(threshold) ? String(available) : bytes(available);
}

/** What others than pods take of a node. */
export function loadWords({ node, memoryBytes, diskBytes, inodes, pids }: EventData<'NodeLoadChanged'>): string {
  const taken = [
    `${memoryBytes} bytes of memory`,
    `${diskBytes} of disk`,
    ...(inodes === undefined ? [] : [`${inodes} inodes`]),
    ...(pids === undefined ? [] : [`${pids} pids`]),
  ];
  return `others than pods take ${taken.slice(0, -1).join(', ')} and ${taken.at(-1)} on node ${node}`;
}

/** What a kubelet has found its node to be short of, or not any more. */
export function pressureWords({ node, met, conditions }: EventData<'NodePressureObserved'>): string {
  const crossed = met.map(
    ({ threshold, available, isRipe }) => `${threshold} (${amountLeft(threshold, available)} left${isRipe ? '' : '; its grace runs'})`,
  );
  const held = conditions.map(({ type }) => type).join(', ');
  const shown = held ? `; it shows ${held}` : '';
  return crossed.length > 0 ? `node ${node} is short: ${crossed.join(', ')}${shown}` : `node ${node} is short of nothing any more${shown}`;
}
