import { IsArray, IsIn, IsInt, IsMapOf, IsOptional, IsString } from '#libs/validation';
import { isText } from '../shapes';

/** The scheduler (or a client's Binding) gave the pod its node. */
export class PodScheduled {
  static readonly version = 1;
  @IsString() node!: string;
  /** Annotations of the Binding, merged into the pod. */
  @IsOptional() @IsMapOf('strings', isText) annotations?: Record<string, string>;
}

/** An attempt found no node: condition PodScheduled=False. */
export class PodSchedulingFailed {
  static readonly version = 1;
  @IsIn(['Unschedulable', 'SchedulerError']) reason!: string;
  @IsString() message!: string;
}

/** Room is being made on this node: status.nominatedNodeName. */
export class PodNominated {
  static readonly version = 1;
  @IsString() node!: string;
}

export class PodNominationCleared {
  static readonly version = 1;
}

/** On the victim: condition DisruptionTarget. The deletion follows as an append of its own. */
export class PodPreempted {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() preemptor!: string;
  @IsString() preemptorUid!: string;
  /** Id of the act, as its PreemptionDecided says it. */
  @IsString() act!: string;
  @IsString() schedulerName!: string;
}

/** The pod is to go for a reason other than scheduler preemption: condition DisruptionTarget with this reason. */
export class PodDisruptionTargeted {
  static readonly version = 1;
  @IsString() reason!: string;
  @IsString() message!: string;
  /** Generation of the pod that the condition names; evictions through the API name none. */
  @IsOptional() @IsInt() observedGeneration?: number;
}

/** The kubelet took the pod: startTime, first conditions, containers waiting. Facts; the status follows in the same append. */
export class PodAcceptedByKubelet {
  static readonly version = 1;
  @IsString() node!: string;
}

/** Kubelet admission said no (OutOfcpu, NodeAffinity …): the pod fails without having run. */
export class PodRejectedByKubelet {
  static readonly version = 1;
  @IsString() reason!: string;
  @IsString() message!: string;
}

export class ContainerStarted {
  static readonly version = 1;
  @IsString() container!: string;
  @IsString() image!: string;
  @IsOptional() @IsInt() restartCount?: number;
}

export class ContainerExited {
  static readonly version = 1;
  @IsString() container!: string;
  @IsInt() exitCode!: number;
  @IsString() reason!: string;
}

/** The kubelet began to stop the pod's containers. */
export class ContainersStopping {
  static readonly version = 1;
  @IsArray() @IsString({ each: true }) containers!: string[];
  @IsInt() gracePeriodSeconds!: number;
}

export class PodBecameReady {
  static readonly version = 1;
}

export class PodTerminated {
  static readonly version = 1;
  @IsIn(['Succeeded', 'Failed']) phase!: string;
}
