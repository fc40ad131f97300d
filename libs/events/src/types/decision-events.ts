import type { JsonObject } from '#libs/kernel';
import { IsA, IsArray, IsBoolean, IsIn, IsInt, IsListOf, IsNumber, IsObject, IsOptional, IsString, IsThat } from '#libs/validation';
import { ExtenderAnswerShape, IsStatus, VictimReference } from '../shapes';

function isWriters(value: unknown): boolean {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && Number.isInteger(pair[1]));
}

/** A scheduling attempt that bound nothing. Kept even when it ended as the last one did: the queue is rebuilt from these. */
export class SchedulingAttempted {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsIn(['unschedulable', 'nominated', 'error', 'skipped']) outcome!: string;
  /** Absent when it is the same as in the pod's last attempt. */
  @IsOptional() @IsString() message?: string;
  @IsOptional() @IsArray() @IsString({ each: true }) plugins?: string[];
  @IsOptional() @IsArray() @IsString({ each: true }) pendingPlugins?: string[];
  @IsOptional() @IsString() node?: string;
  /** The attempt took the pod's nomination away; for the scheduler from then on, whether or not the pod was still there to be told. */
  @IsOptional() @IsBoolean() nominationCleared?: boolean;
}

/** What will be done, before any of it is: whoever resumes the act finds its steps here. */
export class PreemptionDecided {
  static readonly version = 1;
  /** Id of the act; the victims' events name it. */
  @IsString() act!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsInt() priority!: number;
  @IsString() node!: string;
  @IsListOf(VictimReference) victims!: VictimReference[];
  /** Lower-priority pods that lose their nomination to this node: `namespace/name`. */
  @IsArray() @IsString({ each: true }) losers!: string[];
  @IsInt() budgetViolations!: number;
  /** The criterion that left one candidate. */
  @IsString() decidedBy!: string;
}

/** The scheduler cannot go on with a pod before an extender has answered. What is sent follows from the decision's basis. */
export class ExtenderAsked {
  static readonly version = 1;
  /** The decision that asks; the answer names it. */
  @IsString() ask!: string;
  /** The decision with which the attempt began: answers count for one attempt. */
  @IsString() attempt!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  /** Place in the configuration's list. */
  @IsInt() extender!: number;
  @IsIn(['filter', 'prioritize', 'preempt', 'bind']) verb!: string;
  @IsString() url!: string;
  /** Digest of the body. */
  @IsString() question!: string;
  /** Of a bind: the node; the pod counts there from now on. */
  @IsOptional() @IsString() node?: string;
}
/** An answer from outside, recorded before it is used: what is read of the body of a 200, or why there is none. */
export class ExtenderAnswered {
  static readonly version = 1;
  @IsString() ask!: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  /** Digest of the question that it answers, as the question has it. Absent until version 0.1.0. */
  @IsOptional() @IsString() question?: string;
  /** `{body}` or `{error}`. */
  @IsA(ExtenderAnswerShape) answer!: ExtenderAnswerShape;
}
/** A Permit plugin holds the pod back; it counts on its node meanwhile. */
export class PodHeldAtPermit {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsString() node!: string;
  @IsArray() @IsString({ each: true }) plugins!: string[];
  /** Cluster time at which it is refused, ms since the epoch. */
  @IsInt() until!: number;
}

/** The pod was gone, or going, when its binding came: decisions made in between have counted it on the node. */
export class BindingRefused {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsString() node!: string;
}

/** Facts of a pod (or a PriorityClass) that its review needs. Nothing is created before an answer. */
export class PodAdmissionRequested {
  static readonly version = 1;
  @IsIn(['CREATE', 'UPDATE']) operation!: string;
  @IsString() namespace!: string;
  @IsString() name!: string;
  @IsOptional() @IsString() priorityClassName?: string;
  @IsOptional() @IsInt() priority?: number;
  @IsOptional() @IsString() preemptionPolicy?: string;
  @IsOptional() @IsBoolean() dryRun?: boolean;
  /** Digest of what is asked: all of this but itself and `waitMs`. Absent until version 0.1.0. */
  @IsOptional() @IsString() question?: string;
}
export class PodAdmitted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsOptional() @IsString() priorityClassName?: string;
  @IsInt() priority!: number;
  @IsString() preemptionPolicy!: string;
}
export class PodRejected {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  /** The Status body of the refusal. */
  @IsStatus() status!: JsonObject;
}

export class PriorityClassAdmissionRequested {
  static readonly version = 1;
  @IsIn(['CREATE', 'UPDATE']) operation!: string;
  @IsString() name!: string;
  @IsInt() value!: number;
  @IsBoolean() globalDefault!: boolean;
  @IsOptional() @IsBoolean() dryRun?: boolean;
  /** Digest of what is asked: all of this but itself and `waitMs`. Absent until version 0.1.0. */
  @IsOptional() @IsString() question?: string;
}
export class PriorityClassAdmitted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
}
export class PriorityClassRejected {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsStatus() status!: JsonObject;
}

/** What a client asked for, decoded: written before its write, where the cluster keeps requests (`up --keep-requests`). */
export class RequestKept {
  static readonly version = 1;
  /** The operation, as the write names it. */
  @IsString() op!: string;
  @IsString() resource!: string;
  @IsObject() request!: JsonObject;
}

export class EvictionRequested {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsObject() options!: JsonObject;
  @IsOptional() @IsBoolean() dryRun?: boolean;
  /** How long the asker waits for the answer, ms of cluster time; absent: 5,000. More where the clock runs fast. */
  @IsOptional() @IsInt() waitMs?: number;
  /** Digest of what is asked: all of this but itself and `waitMs`. Absent until version 0.1.0. */
  @IsOptional() @IsString() question?: string;
}
export class EvictionGranted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  /** The budget that was charged, if any. */
  @IsOptional() @IsString() budget?: string;
  /** The deletion must find the pod at this version (upstream's guard for pods that passed without a budget). */
  @IsOptional() @IsString() resourceVersion?: string;
}
export class EvictionRefused {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsStatus() status!: JsonObject;
}

/** On the budget's own stream, beside the status it led to. */
export class DisruptionBudgetRecomputed {
  static readonly version = 1;
  @IsInt() disruptionsAllowed!: number;
  @IsInt() currentHealthy!: number;
  @IsInt() desiredHealthy!: number;
  @IsInt() expectedPods!: number;
}

/** A note for the object's owner that no change of the object shows (upstream: a recorded Event). */
export class Reported {
  static readonly version = 1;
  @IsString() resource!: string;
  @IsString() namespace!: string;
  @IsString() name!: string;
  @IsString() uid!: string;
  @IsIn(['Normal', 'Warning']) type!: string;
  @IsString() reason!: string;
  @IsString() message!: string;
  @IsString() component!: string;
}

/** The silence of a node is a simulated fact, not the death of the kubelet app. */
export class NodeHeartbeatStopped {
  static readonly version = 1;
  @IsString() node!: string;
}
export class NodeHeartbeatResumed {
  static readonly version = 1;
  @IsString() node!: string;
}

export class ClusterCreated {
  static readonly version = 1;
  @IsString() seed!: string;
  @IsString() kubernetes!: string;
}
/** Time during which no app ran: nodes count as having been alive. Milliseconds since the epoch. */
export class ClusterResumed {
  static readonly version = 1;
  @IsNumber() from!: number;
  @IsNumber() to!: number;
}
/** A controller came up with this configuration; later decisions name its digest. */
export class ControllerStarted {
  static readonly version = 1;
  @IsString() controller!: string;
  @IsString() behaviour!: string;
  @IsString() configDigest!: string;
  @IsOptional() @IsObject() config?: JsonObject;
}

/** Rounds in which nothing was written, or more than another append should carry: they are on the tape of this event. */
export class RoundsTaken {
  static readonly version = 1;
}

/**
 * Of several instances of an app one leads its controllers: from here on this one. The lead lasts until it is released, or until others who
 * wait for it have heard nothing of its holder for 15 s.
 */
export class LeadershipTaken {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  /** The instance, unique for each start. */
  @IsString() holder!: string;
  @IsString() host!: string;
  @IsInt() pid!: number;
  /** The same for instances that see one another's process numbers. */
  @IsString() machine!: string;
}
/** The leader is there; written only while somebody waits for the lead. */
export class LeadershipRenewed {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
  @IsString() host!: string;
  @IsInt() pid!: number;
  @IsString() machine!: string;
}
/** An instance stands by. Said again every minute. */
export class LeadershipAwaited {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
  @IsString() host!: string;
  @IsInt() pid!: number;
  @IsString() machine!: string;
}
/** The leader has stopped deciding; whoever waits takes over at once. */
export class LeadershipReleased {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
}

/** Everything in the log up to `position`, as one hash over all of its events: whoever changes, removes or moves one of them changes it. */
export class Sealed {
  static readonly version = 1;
  /** The last event that it covers. */
  @IsInt() position!: number;
  /** How many events it covers. */
  @IsInt() events!: number;
  /** Root of the Merkle tree over them (RFC 6962), base64url. */
  @IsString() root!: string;
  /** Roots of its whole subtrees, from the left: the tree grows on from these. */
  @IsArray() @IsString({ each: true }) peaks!: string[];
  /** Who has written since the seal before, with the number of its last append. */
  @IsThat('pairs of a name and a number', isWriters) writers!: [name: string, w: number][];
  /** Root of the seal before; absent in the first. */
  @IsOptional() @IsString() prev?: string;
}
