import type { JsonObject } from '#libs/kernel';
import {
  IsA,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsListOf,
  IsMapOf,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsThat,
} from '#libs/validation';
import { ExtenderAnswerShape, IsAmounts, IsStatus, QuotaChargeShape, ShutdownPeriodShape, VictimReference, isText } from '../shapes';

function isWriters(value: unknown): boolean {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && Number.isInteger(pair[1]));
}

/** A scheduling attempt that did not bind its pod. Written also when it ended as the one before: the queue is rebuilt from these events. */
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

/**
 * All steps of a preemption, written before the first of them is taken: a scheduler that starts after a crash finds here what is left
 * to do.
 */
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

/** A controller has a key used that it does not hold: what comes of it is written to the object. */
export class SignatureAsked {
  static readonly version = 1;
  /** The decision that asks. */
  @IsString() ask!: string;
  @IsString() resource!: string;
  @IsOptional() @IsString() namespace?: string;
  @IsString() name!: string;
  @IsString() uid!: string;
}

/** The scheduler asks an extender about a pod and waits for the answer. What is sent can be made again from the decision's basis. */
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

/** The extender's answer, recorded before it is used: what the scheduler reads of the body, or why there is no answer. */
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

/** A binding was not carried out, since the pod was deleted meanwhile. Decisions made in between have counted it on the node. */
export class BindingRefused {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsString() node!: string;
}

/** A question to priority-admission: what it needs to know of a pod that is to be written. Nothing is written before the answer. */
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

/** The answer of priority-admission: the priority of the pod, and its preemption policy. */
export class PodAdmitted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsOptional() @IsString() priorityClassName?: string;
  @IsInt() priority!: number;
  @IsString() preemptionPolicy!: string;
}

/** The answer of priority-admission: the pod is refused, with the reason. */
export class PodRejected {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  /** The Status body of the refusal. */
  @IsStatus() status!: JsonObject;
}

/** A question to priority-admission: may this PriorityClass be the default one? */
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

/** The answer of priority-admission: the PriorityClass may be written. */
export class PriorityClassAdmitted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
}

/** The answer of priority-admission: the PriorityClass is refused, with the reason. */
export class PriorityClassRejected {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsStatus() status!: JsonObject;
}

/**
 * A question to an admission webhook, which is called once this is in the log. Nothing is written before the answer. Of a mutating webhook the
 * object that it is asked about is here; what a validating one sees follows from the write.
 */
export class WebhookAsked {
  static readonly version = 1;
  @IsString() webhook!: string;
  @IsString() configuration!: string;
  @IsOptional() @IsString() url?: string;
  @IsOptional() @IsObject() service?: JsonObject;
  @IsIn(['mutating', 'validating']) type!: string;
  /** 1: it is called again, since the object has been changed. */
  @IsOptional() @IsInt() round?: number;
  @IsIn(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']) operation!: string;
  @IsObject() kind!: JsonObject;
  @IsObject() resource!: JsonObject;
  @IsOptional() @IsString() subResource?: string;
  @IsOptional() @IsString() namespace?: string;
  @IsOptional() @IsString() name?: string;
  @IsOptional() @IsBoolean() dryRun?: boolean;
  /** Who asks for the write. */
  @IsObject() userInfo!: JsonObject;
  @IsOptional() @IsObject() options?: JsonObject;
  /** Digest of the object and of what it was before, but for times of the write itself. */
  @IsString() about!: string;
  @IsOptional() @IsObject() object?: JsonObject;
  /** Digest of what is asked: all of this but itself. */
  @IsOptional() @IsString() question?: string;
}

/** The answer of a webhook, recorded before it is used: what it said, or why there is nothing to be had from it. */
export class WebhookAnswered {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsString() webhook!: string;
  /** `{allowed, patch?, patchType?, status?, warnings?, auditAnnotations?}`, or `{error}`. */
  @IsObject() outcome!: JsonObject;
}

/** A question of a write to the conversion webhook of a custom kind: what is this object in another version? */
export class ConversionAsked {
  static readonly version = 1;
  @IsString() kind!: string;
  /** What the object is in. */
  @IsString() apiVersion!: string;
  @IsString() desiredAPIVersion!: string;
  @IsOptional() @IsString() url?: string;
  @IsOptional() @IsObject() service?: JsonObject;
  @IsOptional() @IsString() namespace?: string;
  @IsOptional() @IsString() name?: string;
  /** But for times of the write itself. */
  @IsObject() object!: JsonObject;
  /** Digest of what is asked: all of this but itself. */
  @IsOptional() @IsString() question?: string;
}

/** The answer of a conversion webhook, recorded before it is used. */
export class ConversionAnswered {
  static readonly version = 1;
  @IsString() review!: string;
  @IsString() question!: string;
  /** `{object}`, of whose metadata there are labels and annotations only: the rest is as it was. Or `{error}`. */
  @IsObject() outcome!: JsonObject;
}

/** What a client asked for, decoded: written before its write, where the cluster keeps requests (`up --keep-requests`). */
export class RequestKept {
  static readonly version = 1;
  /** The operation, as the write names it. */
  @IsString() op!: string;
  @IsString() resource!: string;
  @IsObject() request!: JsonObject;
}

/** A question to pdb-controller: may this pod be evicted? */
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

/** The answer of pdb-controller: the pod may be evicted. */
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

/** The answer of pdb-controller: the pod is not evicted now, with the reason. */
export class EvictionRefused {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsOptional() @IsString() question?: string;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsStatus() status!: JsonObject;
}

/** A question to the quotas of a namespace: is there room for what this object takes? Nothing is written before the answer. */
export class QuotaRequested {
  static readonly version = 1;
  @IsIn(['CREATE', 'UPDATE']) operation!: string;
  @IsString() resource!: string;
  @IsString() namespace!: string;
  @IsString() name!: string;
  /** What the object takes, by the names that quotas have for it. */
  @IsAmounts() usage!: Record<string, string>;
  /** What scopes tell it by: `terminating`, `bestEffort`, `priorityClass`, `crossNamespaceAffinity`, `volumeAttributesClasses`. */
  @IsOptional() @IsObject() traits?: JsonObject;
  /** Containers that say nothing of a resource, by the resource. */
  @IsOptional() @IsObject() unset?: JsonObject;
  /** Of an update: usage and traits of the object as it was. */
  @IsOptional() @IsObject() before?: JsonObject;
  /** A write to the status: what it takes is counted, and never refused. */
  @IsOptional() @IsBoolean() ofStatus?: boolean;
  @IsOptional() @IsBoolean() dryRun?: boolean;
  /** How long the asker waits for the answer, ms of cluster time; absent: 5,000. More where the clock runs fast. */
  @IsOptional() @IsInt() waitMs?: number;
  /** Digest of what is asked: all of this but itself and `waitMs`. */
  @IsString() question!: string;
}

/** The answer: there is room, and the quotas have been charged. */
export class QuotaGranted {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsString() question!: string;
  @IsString() resource!: string;
  @IsString() namespace!: string;
  @IsString() name!: string;
}

/** The answer: a quota refuses the object, with the reason. */
export class QuotaRefused {
  static readonly version = 1;
  @IsString() review!: string;
  /** Digest of the question that it answers, as the request has it. */
  @IsString() question!: string;
  @IsString() resource!: string;
  @IsString() namespace!: string;
  @IsString() name!: string;
  @IsStatus() status!: JsonObject;
}

/** The quota is charged for writes that are about to be made: what they take is used from now on. */
export class QuotaCharged {
  static readonly version = 1;
  @IsListOf(QuotaChargeShape) charges!: QuotaChargeShape[];
}

/** How many disruptions the budget allows, counted again; on the budget's stream, beside its new status. */
export class DisruptionBudgetRecomputed {
  static readonly version = 1;
  @IsInt() disruptionsAllowed!: number;
  @IsInt() currentHealthy!: number;
  @IsInt() desiredHealthy!: number;
  @IsInt() expectedPods!: number;
}

/** What a controller has to say about an object and no change of the object shows: read as a Kubernetes Event. */
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
  /** The part of the object that it is about: `spec.containers{app}`. */
  @IsOptional() @IsString() fieldPath?: string;
  /** How often it has happened in all, also when it was not told; absent: once more. */
  @IsOptional() @IsInt() count?: number;
  /** How often in the run, or the wait, that it is told about. */
  @IsOptional() @IsInt() times?: number;
  /** Of the Event object. */
  @IsOptional() @IsMapOf('strings', isText) annotations?: Record<string, string>;
}

function isOutput(value: unknown): boolean {
  return Array.isArray(value) && value.every((piece) => Array.isArray(piece) && Number.isInteger(piece[0]) && typeof piece[1] === 'string');
}

/**
 * It is settled how a run of a container's program ends, and what it writes: of a program that looked at other objects than its pod, or
 * was typed to. Of any other one both follow from the pod. Written by its kubelet once it can tell, or by the API server when who typed
 * to it has ended it.
 */
export class ProgramSettled {
  static readonly version = 1;
  @IsString() namespace!: string;
  @IsString() pod!: string;
  @IsString() uid!: string;
  @IsString() container!: string;
  @IsInt() restartCount!: number;
  /** From the start of the run, ms. */
  @IsInt() afterMs!: number;
  @IsInt() exitCode!: number;
  /** What it left at its `terminationMessagePath`. */
  @IsOptional() @IsString() message?: string;
  /** What it writes, `[ms from the start, text]`; no more than the last of it. */
  @IsThat('pieces of output', isOutput) output!: [number, string][];
  /** It has read a Secret: what it writes is shown to nobody who may not see that. */
  @IsOptional() @IsBoolean() readsSecrets?: boolean;
}

/** Somebody watches the Leases of nodes: their kubelets renew them, until `HeartbeatsUnwanted`. */
export class HeartbeatsWanted {
  static readonly version = 1;
}

/** Nobody watches the Leases of nodes any more: they stay as they are. */
export class HeartbeatsUnwanted {
  static readonly version = 1;
}

/** The simulated node has fallen silent: its kubelet does nothing until `NodeHeartbeatResumed`. (The kubelet app goes on.) */
export class NodeHeartbeatStopped {
  static readonly version = 1;
  @IsString() node!: string;
}

/** The simulated node is heard again. */
export class NodeHeartbeatResumed {
  static readonly version = 1;
  @IsString() node!: string;
}

/** A file in the folder of static pods of a node's kubelet has this manifest from now on; without one the file is gone. */
export class StaticPodFileChanged {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() file!: string;
  @IsOptional() @IsObject() manifest?: JsonObject;
}

/** The kubelet does not take the pod of a file: nothing runs, and no mirror shows it, until the file is another one. */
export class StaticPodRejected {
  static readonly version = 1;
  @IsString() node!: string;
  @IsString() file!: string;
  @IsString() reason!: string;
  @IsString() message!: string;
}

/** What others than pods take on the simulated node from now on, in bytes; 0 is none. It stays so until it is told anew, or the node reboots. */
export class NodeLoadChanged {
  static readonly version = 1;
  @IsString() node!: string;
  @IsInt() memoryBytes!: number;
  @IsInt() diskBytes!: number;
  /** Files and processes; absent: none. */
  @IsOptional() @IsInt() inodes?: number;
  @IsOptional() @IsInt() pids?: number;
}

/**
 * The kubelet process of the simulated node began anew, and is heard again if it was silent: graces begin again, probes too, and what it held in
 * memory is lost. Containers run on; with `reboot` they have all ended with the machine, at this moment.
 */
export class KubeletRestarted {
  static readonly version = 1;
  @IsString() node!: string;
  @IsOptional() @IsBoolean() reboot?: boolean;
}

/** The container runtime of the simulated node, or its network plugin, became ready or ceased to be, or sandboxes died under the kubelet. */
export class RuntimeStateChanged {
  static readonly version = 1;
  @IsString() node!: string;
  /** Whether the runtime is ready from now on; absent: as before. */
  @IsOptional() @IsIn(['up', 'down']) runtime?: 'up' | 'down';
  /** Whether the network plugin is ready from now on; absent: as before. */
  @IsOptional() @IsIn(['up', 'down']) network?: 'up' | 'down';
  /** Pods whose sandboxes, and all containers in them, died now: their uids. */
  @IsOptional() @IsArray() @IsString({ each: true }) killed?: string[];
  /** The machine went down now, and every container with it: its kubelet is silent until `KubeletRestarted`. */
  @IsOptional() @IsBoolean() rebooted?: boolean;
}

/**
 * The simulated node is being shut down: its kubelet says that it is not ready, ends the pods by their priorities, and the node is silent after
 * that until `KubeletRestarted`.
 */
export class NodeShutdownBegun {
  static readonly version = 1;
  @IsString() node!: string;
  /** How long pods of at least this priority may take, seconds; from the lowest priority up. */
  @IsListOf(ShutdownPeriodShape) periods!: ShutdownPeriodShape[];
}

/** Pods of this stage of a node's shutdown are told to end; those of lower priority are over, or their time is. */
export class NodeShutdownStageBegun {
  static readonly version = 1;
  @IsString() node!: string;
  /** The least priority of its pods. */
  @IsInt() priority!: number;
}

/** The cluster was created: its seed, and the release of Kubernetes it follows. */
export class ClusterCreated {
  static readonly version = 1;
  @IsString() seed!: string;
  @IsString() kubernetes!: string;
}

/** The cluster was stopped from one time to the other, milliseconds since the epoch. Nodes count as having been alive meanwhile. */
export class ClusterResumed {
  static readonly version = 1;
  @IsNumber() from!: number;
  @IsNumber() to!: number;
}

/** A controller was started with this configuration; its decisions name the configuration's digest. */
export class ControllerStarted {
  static readonly version = 1;
  @IsString() controller!: string;
  @IsString() behaviour!: string;
  @IsString() configDigest!: string;
  @IsOptional() @IsObject() config?: JsonObject;
}

/** Carries a tape of rounds that no other append carried: nothing was written in them, or the tape was too long. */
export class RoundsTaken {
  static readonly version = 1;
}

/**
 * Of several instances of an app one runs its controllers: from here on this one. The lead lasts until it is released, or until others
 * who wait for it have heard nothing of its holder for 15 s.
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

/** The leader is alive. Written only while another instance waits for the lead. */
export class LeadershipRenewed {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
  @IsString() host!: string;
  @IsInt() pid!: number;
  @IsString() machine!: string;
}

/** An instance waits for the lead. Written again every minute. */
export class LeadershipAwaited {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
  @IsString() host!: string;
  @IsInt() pid!: number;
  @IsString() machine!: string;
}

/** The leader has stopped deciding; an instance that waits takes over at once. */
export class LeadershipReleased {
  static readonly version = 1;
  @IsString() app!: string;
  @IsArray() @IsString({ each: true }) controllers!: string[];
  @IsString() holder!: string;
}

/** One hash over all events up to `position`. If one of them is changed, removed or moved, the hash is another. */
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
