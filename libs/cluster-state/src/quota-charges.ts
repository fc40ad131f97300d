import type { RecordedEvent } from '#libs/event-log';
import type { GroupResource, KubeObject, ObjectKey } from '#libs/kernel';

/** What a quota was charged for a write that has not been made yet. */
export interface QuotaCharge {
  /** The question of the write. */
  review: string;
  /** The quota, by its uid. */
  quota: string;
  operation: string;
  resource: GroupResource;
  /** Of the object that is to be written. */
  key: ObjectKey;
  amounts: Record<string, string>;
  /** Cluster time, ms. */
  at: number;
}

/** A write that has not been made by then is not made any more; what was charged for it is free again. Cluster time, ms. */
export const quotaChargeMs = 120_000;

/**
 * Charges whose writes are under way. Whoever counts what is used of a quota adds these to the objects that are there: so nothing is free
 * between the charge and the write, and a write that never comes is forgotten after a while.
 */
export class QuotaCharges {
  private readonly byReview = new Map<string, QuotaCharge[]>();

  get size(): number {
    return this.byReview.size;
  }

  /** Those of one quota that count at this time. */
  *of(quota: string, now: number): Iterable<QuotaCharge> {
    for (const charge of this.all()) if (charge.quota === quota && now <= charge.at + quotaChargeMs) yield charge;
  }

  /** Whether the quota has been charged for this question. */
  has(review: string, quota: string): boolean {
    return this.byReview.get(review)?.some((charge) => charge.quota === quota) ?? false;
  }

  *all(): Iterable<QuotaCharge> {
    for (const charges of this.byReview.values()) yield* charges;
  }

  add(charge: QuotaCharge): void {
    const charges = this.byReview.get(charge.review);
    if (charges) charges.push(charge);
    else this.byReview.set(charge.review, [charge]);
  }

  /** The events of a frame on a quota's stream. */
  charged({ metadata }: KubeObject, events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.type !== 'QuotaCharged') continue;
      const at = event.metadata.time as number;
      this.forget(at - quotaChargeMs);
      for (const { review, operation, resource, name, amounts } of event.data.charges as unknown as Charged[])
        this.add({ review, quota: metadata.uid as string, operation, resource, key: `${metadata.namespace}/${name}`, amounts, at });
    }
  }

  /** The write was made, or another one was, after which it cannot be. What becomes of the status of an object is another matter, but of a claim's. */
  written(resource: GroupResource, key: ObjectKey, before: KubeObject | undefined, { spec }: KubeObject): void {
    if (before && before.spec === spec && resource !== 'persistentvolumeclaims') return;
    const operation = before ? 'UPDATE' : 'CREATE';
    for (const [review, [first]] of this.byReview)
      if (first?.key === key && first.resource === resource && first.operation === operation) this.byReview.delete(review);
  }

  refused(review: string): void {
    this.byReview.delete(review);
  }

  private forget(before: number): void {
    for (const [review, [first]] of this.byReview) if (first && first.at < before) this.byReview.delete(review);
  }
}

interface Charged {
  review: string;
  operation: string;
  resource: GroupResource;
  name: string;
  amounts: Record<string, string>;
}
