import { IsBoolean, IsInt, IsListOf, IsObject, IsOptional, IsString } from '#libs/validation';
import { MetThresholdShape, PressureConditionShape, RankedPodShape } from '../shapes';

/** What a look of a kubelet's eviction manager found that was otherwise before: what the node is short of, and what its kubelet says of it. */
export class NodePressureObserved {
  static readonly version = 1;
  @IsString() node!: string;
  /** Cluster time of the look, ms. */
  @IsInt() at!: number;
  /** Thresholds that are crossed: `threshold` as its configuration says it, `since` (ms), `isRipe` when its grace is over, `available` then. */
  @IsListOf(MetThresholdShape) met!: MetThresholdShape[];
  /** Conditions of the node that hold: `type`, and when there was last a reason for it, ms. */
  @IsListOf(PressureConditionShape) conditions!: PressureConditionShape[];
  /** How often something was to be reclaimed, when that was last told (ms), and how often it may still be told. */
  @IsOptional() @IsObject() told?: { times: number; at: number; left: number };
}

/** The kubelet of a node ends a pod to make room for a critical one: its containers are being stopped. */
export class PodPreemptedByKubelet {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  /** Cluster time of the decision, ms. */
  @IsInt() at!: number;
  @IsInt() graceSeconds!: number;
  /** Reason and message of the pod's status. */
  @IsString() reason!: string;
  @IsString() message!: string;
  /** Message of the condition DisruptionTarget. */
  @IsString() disruption!: string;
  /** Who is to have the room: `NAMESPACE/NAME`. */
  @IsString() preemptor!: string;
}

/** The kubelet of a node that is short of something, or where a pod stores more than it may, has evicted a pod: its containers are being stopped. */
export class PodEvictedByKubelet {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  /** Cluster time of the look, ms. */
  @IsInt() at!: number;
  @IsInt() graceSeconds!: number;
  /** Reason and message of the pod's status. */
  @IsString() reason!: string;
  @IsString() message!: string;
  /** Message of the condition DisruptionTarget; absent: it gets none. */
  @IsOptional() @IsString() disruption?: string;
  /** The threshold that was crossed, and what is to be reclaimed. */
  @IsOptional() @IsString() threshold?: string;
  @IsOptional() @IsString() resource?: string;
  /** True: for what the pod stored, not for the node's sake. */
  @IsOptional() @IsBoolean() limit?: boolean;
  /** All that the kubelet could have evicted, the first to go first. */
  @IsOptional() @IsListOf(RankedPodShape) ranking?: RankedPodShape[];
}
