import type { EvictionConfig, KubeletOptions as Settings } from '#libs/kubelet';
import { IsBoolean, IsIn, IsInt, IsObject, IsOptional, Min } from '#libs/validation';

const pulls = { message: 'a whole number from 1 on' };
const startup = { message: 'a whole number of ms from 0 on' };

/** How the simulated kubelets behave where no annotation says otherwise. */
export class KubeletOptions implements Settings {
  /** From binding to running, ms of cluster time. */
  @IsOptional() @IsInt(startup) @Min(0, startup) startupMs?: number;
  /** What a container does on TERM: ends after 100 ms, or `ignore`s it until KILL. */
  @IsOptional() @IsIn(['exit', 'ignore'], { message: 'exit or ignore' }) onTerm?: 'exit' | 'ignore';
  /** What pods are evicted for; upstream's thresholds when absent. */
  @IsOptional() @IsObject({ message: 'thresholds of eviction' }) eviction?: EvictionConfig;
  /** Images are pulled one after the other; true when absent, unless several may be pulled at once. */
  @IsOptional() @IsBoolean({ message: 'true or false' }) serializeImagePulls?: boolean;
  /** How many images are pulled at once, where not one by one; absent: as many as are asked for. */
  @IsOptional() @IsInt(pulls) @Min(1, pulls) maxParallelImagePulls?: number;
  /** The Leases of nodes are renewed, for others who go by them. */
  @IsOptional() @IsBoolean({ message: 'true or false' }) heartbeats?: boolean;
}
