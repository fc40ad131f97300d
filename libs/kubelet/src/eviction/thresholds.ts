import { formatQuantity, parseQuantity, quantityValue } from '#libs/kernel';
import { signals, type Signal, type StarvedResource } from './signals';

/** So much, as it is written, or so large a part (0 to 1, in the precision that upstream has it in). */
export type ThresholdValue = { quantity: string } | { part: number };

/** When pods are to be evicted: what is left of a signal falls below the value, and stays so for as long as the grace. */
export interface Threshold {
  signal: Signal;
  value: ThresholdValue;
  /** 0: a hard one. */
  graceMs: number;
  /** Once it is crossed it stays so until this much more is left again. */
  minReclaim?: ThresholdValue;
  /** `memory.available<500Mi`, `memory.available<1Gi for 15s`. */
  name: string;
}

/** How the eviction manager is set up. */
export interface EvictionConfig {
  thresholds: readonly Threshold[];
  /** For how long a condition stays after there was last a reason for it, ms. */
  transitionMs: number;
  /** Longest grace of a pod that a soft threshold evicts, seconds. */
  maxPodGraceSeconds: number;
}

/** What is left at a value, of a capacity (upstream `GetThresholdQuantity`). */
export function bytesAt(value: ThresholdValue, capacity: number): number {
  return 'quantity' in value ? quantityValue(value.quantity) : Math.trunc(capacity * value.part);
}

/** As messages write it. */
export function quantityAt(value: ThresholdValue, capacity: number): string {
  if (!('quantity' in value)) return binaryText(bytesAt(value, capacity));
  const quantity = parseQuantity(value.quantity);
  return quantity ? formatQuantity(quantity) : value.quantity;
}

/** What is left, as messages write it: bytes, or a number of files or processes. */
export function availableText(resource: StarvedResource, amount: number): string {
  if (resource === 'memory' || resource === 'ephemeral-storage') return binaryText(amount);
  return formatQuantity({ nano: BigInt(Math.trunc(amount)) * 1_000_000_000n, format: 'DecimalSI' });
}

/** Bytes in the largest binary unit that leaves no fraction: `396Mi`. */
export function binaryText(bytes: number): string {
  return formatQuantity({ nano: BigInt(Math.trunc(bytes)) * 1_000_000_000n, format: 'BinarySI' });
}

/** What is crossed of this is reclaimed first: memory, then disk, then processes. */
export function inOrder(thresholds: readonly Threshold[]): Threshold[] {
  return thresholds.toSorted((a, b) => signals.indexOf(a.signal) - signals.indexOf(b.signal));
}
