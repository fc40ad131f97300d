import { addQuantities, canonicalQuantity, formatQuantity, parseQuantity, quantityValue, type Quantity } from '#libs/kernel';
import { specOf } from '../pod-lifecycle/pod-types';
import { measuredDiskOf, type PodUsage } from './pod-usage';
import { firstLook, usedAt, type Looks, type UsageLine } from './usage-line';

/** So much may be stored (bytes), this is, and what is said of a pod that stores more. */
interface StorageLimit {
  used: UsageLine;
  limit: number;
  message: string;
}

/** What limits a pod in what it stores, in the order in which its kubelet looks (upstream `localStorageEviction`). */
function limitsOf(of: PodUsage): StorageLimit[] {
  const limits: StorageLimit[] = [];
  for (const { name, sizeLimit, measured } of of.volumes) {
    const limit = quantityValue(sizeLimit);
    const size = canonicalQuantity(sizeLimit) ?? '';
    if (limit > 0) limits.push({ used: measured, limit, message: `Usage of EmptyDir volume "${name}" exceeds the limit "${size}". ` });
  }
  const whole = podLimit(of);
  if (whole) {
    const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(whole)}. `;
    limits.push({ used: measuredDiskOf(of), limit: Number(whole.nano / 1_000_000_000n), message });
  }
  for (const { name, disk, limits: own } of of.containers ?? []) {
    const limit = quantityValue(own['ephemeral-storage']);
    const text = canonicalQuantity(own['ephemeral-storage']) ?? '';
    const message = `Container ${name} exceeded its local ephemeral storage limit "${text}". `;
    if (limit > 0) limits.push({ used: disk, limit, message });
  }
  return limits;
}

/** What the containers may store together, as upstream adds it up: sidecars count, init containers as the largest of them. */
function podLimit({ pod }: PodUsage): Quantity | undefined {
  const { containers = [], initContainers = [] } = specOf(pod);
  const limitOf = (container: (typeof containers)[number]): Quantity | undefined =>
    parseQuantity(container.resources?.limits?.['ephemeral-storage']);
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  let sum: Quantity | undefined;
  for (const container of [...containers, ...sidecars]) {
    const limit = limitOf(container);
    if (limit) sum = sum ? addQuantities(sum, limit) : limit;
  }
  for (const container of initContainers) {
    const limit = limitOf(container);
    if (limit && (!sum || limit.nano > sum.nano)) sum = limit;
  }
  return sum;
}

/** What is said of a pod that stores more than it may; undefined: it does not. */
export function overLimit(of: PodUsage, time: number): string | undefined {
  if (!of.containers) return undefined;
  return limitsOf(of).find(({ used, limit }) => usedAt(used, time) > limit)?.message;
}

/** The first look, from the given one on, that finds it so; undefined: none ever. */
export function overLimitFrom(of: PodUsage, looks: Looks, start: number): number | undefined {
  if (!of.containers) return undefined;
  let first: number | undefined;
  for (const { used, limit } of limitsOf(of)) {
    const look = firstLook(used, looks, start, limit, true);
    if (look !== undefined && (first === undefined || look < first)) first = look;
  }
  return first;
}
