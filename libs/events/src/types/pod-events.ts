import { IsArray, IsBoolean, IsIn, IsInt, IsMapOf, IsOptional, IsString } from '#libs/validation';
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

/** The kubelet took the pod: startTime, its addresses' node, the first conditions, containers waiting. */
export class PodAcceptedByKubelet {
  static readonly version = 2;
  @IsString() node!: string;
  @IsOptional() @IsString() hostIP?: string;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** Kubelet admission said no (OutOfcpu, NodeAffinity …): the pod fails without having run. */
export class PodRejectedByKubelet {
  static readonly version = 1;
  @IsString() reason!: string;
  @IsString() message!: string;
}

/** A container runs: its status, and what of phase and conditions follows from that. */
export class ContainerStarted {
  static readonly version = 2;
  @IsString() container!: string;
  /** As the pod names it. */
  @IsString() image!: string;
  @IsOptional() @IsInt() restartCount?: number;
  /** As the container runtime resolved the name. */
  @IsOptional() @IsString() imageID?: string;
  @IsOptional() @IsString() containerID?: string;
  /** Of the sandbox, where it came with this container. */
  @IsOptional() @IsString() podIP?: string;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** A container has ended: its status, and what of the conditions follows from that. */
export class ContainerExited {
  static readonly version = 2;
  @IsString() container!: string;
  @IsInt() exitCode!: number;
  @IsString() reason!: string;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** The kubelet has taken note of the pod's generation and begun to stop its containers. */
export class ContainersStopping {
  static readonly version = 2;
  @IsArray() @IsString({ each: true }) containers!: string[];
  @IsInt() gracePeriodSeconds!: number;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** All containers are ready, and the readiness gates. */
export class PodBecameReady {
  static readonly version = 1;
}

/** Nothing of the pod runs any more, or will: its last phase and conditions. */
export class PodTerminated {
  static readonly version = 2;
  @IsIn(['Succeeded', 'Failed']) phase!: string;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}
