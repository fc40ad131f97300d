import { parseQuantity } from '#libs/kernel';
import { isPem } from './expected';
import { IsA, IsInt, IsOptional, IsThat, Max, Min } from '#libs/validation';

const count = { message: 'a whole number from 0 to 20000' };
const pods = { message: 'a whole number from 0 to 10000' };
const isQuantity = (value: unknown): boolean => typeof value === 'string' && parseQuantity(value) !== undefined;

/** Nodes to simulate from the start. */
export class NodesOptions {
  @IsInt(count) @Min(0, count) @Max(20_000, count) count!: number;
  @IsThat('a quantity such as 4 or 500m', isQuantity) cpu!: string;
  @IsThat('a quantity such as 8Gi', isQuantity) memory!: string;
  @IsInt(pods) @Min(0, pods) @Max(10_000, pods) pods!: number;
}

/** A CA with its key, PEM. */
export class SignerOptions {
  @IsThat('PEM text', isPem) certificate!: string;
  @IsThat('PEM text', isPem) privateKey!: string;
}

const milliseconds = { message: 'a whole number of milliseconds' };
const rate = 'a number from 0 on';
const isRate = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** How failing nodes are dealt with, where it is not as upstream does by default. */
export class NodeLifecycleOptions {
  @IsOptional() @IsInt(milliseconds) @Min(0, milliseconds) monitorGraceMs?: number;
  @IsOptional() @IsInt(milliseconds) @Min(0, milliseconds) startupGraceMs?: number;
  @IsOptional() @IsThat(rate, isRate) evictionRate?: number;
  @IsOptional() @IsThat(rate, isRate) secondaryEvictionRate?: number;
  @IsOptional() @IsInt() largeClusterThreshold?: number;
  @IsOptional() @IsThat(rate, isRate) unhealthyZoneThreshold?: number;
}

/** What is collected of pods. */
export class PodGCOptions {
  /** Ended pods that are left; with 0 all are. */
  @IsOptional() @IsInt() @Min(0, count) terminatedPodThreshold?: number;
}

export class ControllerManagerOptions {
  /** Signs what approved CertificateSigningRequests ask for; absent: nobody does. */
  @IsOptional() @IsA(SignerOptions) signer?: SignerOptions;
  @IsOptional() @IsA(NodesOptions) nodes?: NodesOptions;
  @IsOptional() @IsA(NodeLifecycleOptions) nodeLifecycle?: NodeLifecycleOptions;
  @IsOptional() @IsA(PodGCOptions) podGC?: PodGCOptions;
}
