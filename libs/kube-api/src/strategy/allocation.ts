import type { KubeObject } from '#libs/kernel';

/** What an allocation looks at: what is given away already, the ranges to give from, and chance. */
export interface AllocationContext {
  /** Objects of a resource, by name: those that hold something already. */
  list(resource: string): Iterable<KubeObject>;
  /** Addresses that Services may be given. */
  readonly serviceCidr?: string;
  /** Nothing of it is kept. */
  readonly dryRun?: boolean;
  /** A number below `bound`; the same label gives the same one. */
  chance(bound: number, label: string): number;
}
