import { IsA, IsArray, IsBoolean, IsIn, IsInt, IsMapOf, IsOptional, IsString } from '#libs/validation';
import { ImagePullShape, isCount, isText } from '../shapes';

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

/** Room is being made for the pod on this node: it is in status.nominatedNodeName. */
export class PodNominated {
  static readonly version = 1;
  @IsString() node!: string;
}

/** The pod has no nominated node any more. */
export class PodNominationCleared {
  static readonly version = 1;
}

/** The pod is a victim of a preemption: condition DisruptionTarget. Its deletion is the next frame of the same append. */
export class PodPreempted {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() preemptor!: string;
  @IsString() preemptorUid!: string;
  /** Id of the act, as its PreemptionDecided says it. */
  @IsString() act!: string;
  @IsString() schedulerName!: string;
}

/** The pod will be deleted for another reason than preemption by the scheduler: condition DisruptionTarget with this reason. */
export class PodDisruptionTargeted {
  static readonly version = 1;
  @IsString() reason!: string;
  @IsString() message!: string;
  /** Generation of the pod that the condition names; evictions through the API name none. */
  @IsOptional() @IsInt() observedGeneration?: number;
}

/** The kubelet accepted the pod: startTime, the node's address, the first conditions, containers waiting. */
export class PodAcceptedByKubelet {
  static readonly version = 2;
  @IsString() node!: string;
  @IsOptional() @IsString() hostIP?: string;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** The kubelet has set aside for a resized pod what its spec asks for. */
export class PodResizeAllocated {
  static readonly version = 1;
  @IsString() node!: string;
  /** The containers that are given other resources. */
  @IsArray() @IsString({ each: true }) containers!: string[];
}

/** An image is to be pulled for a container: when the pull has its turn among those of its node, which lets only so many go on at once. */
export class ImagePullQueued {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsString() container!: string;
  /** As the pod names it. */
  @IsString() image!: string;
  /** Cluster times of the kubelet's asking and of the pull's beginning, ms. */
  @IsInt() askedAt!: number;
  @IsInt() startsAt!: number;
  /** How long the pull itself takes, ms. */
  @IsInt() tookMs!: number;
}

/** Kubelet admission said no (OutOfcpu, NodeAffinity …): the pod fails without having run. */
export class PodRejectedByKubelet {
  static readonly version = 1;
  @IsString() reason!: string;
  @IsString() message!: string;
}

/** A container runs: its status, and the phase and conditions that follow from it. */
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
  /** When it started, where that was before it is told. Ms since the epoch. */
  @IsOptional() @IsInt() at?: number;
  /** Reasons of the Events that have been told before: `Pulled`, `Created`, `Started`. */
  @IsOptional() @IsArray() @IsString({ each: true }) told?: string[];
  /** Of a restart: how long the wait before the next one is, ms, from the end of this run. */
  @IsOptional() @IsInt() backOffMs?: number;
  /** Of a restart: how often the wait before it was told of without being written, by the Event's key. */
  @IsOptional() @IsMapOf('numbers', isCount) untold?: Record<string, number>;
  /** The image was pulled for it; absent: the node had it. */
  @IsOptional() @IsA(ImagePullShape) pull?: ImagePullShape;
  /** The status that it led to is told beside it, in the same append; so it was in version 1. */
  @IsOptional() @IsBoolean() apart?: boolean;
}

/** The runtime has created a container and could not start it: it counts as a run that ended at once. The status stands beside it. */
export class ContainerStartFailed {
  static readonly version = 1;
  @IsString() container!: string;
  /** As the pod names it. */
  @IsString() image!: string;
  @IsOptional() @IsInt() restartCount?: number;
  /** As the container runtime resolved the name. */
  @IsString() imageID!: string;
  @IsString() message!: string;
  /** Of a restart: how long the wait before the next one is, ms. */
  @IsOptional() @IsInt() backOffMs?: number;
  /** Of a restart: how often the wait before it was told of without being written, by the Event's key. */
  @IsOptional() @IsMapOf('numbers', isCount) untold?: Record<string, number>;
  /** The image was pulled for it; absent: the node had it. */
  @IsOptional() @IsA(ImagePullShape) pull?: ImagePullShape;
}

/** A container has ended: its status, and the conditions that follow from it. */
export class ContainerExited {
  static readonly version = 2;
  @IsString() container!: string;
  @IsInt() exitCode!: number;
  @IsString() reason!: string;
  /** When it ended, where that was before it is told. Ms since the epoch. */
  @IsOptional() @IsInt() at?: number;
  /** The kubelet itself has ended it, for another run to follow. */
  @IsOptional() @IsBoolean() killed?: boolean;
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

/** All containers are ready, and all readiness gates are true: condition Ready. */
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
