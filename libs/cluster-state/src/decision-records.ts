import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { AdmissionConfiguration } from '#libs/kube-api';
import { nodePressureTypes, nodeRecordTypes, NodeRecords } from './node-records';
import { marksAfter, marksAfterReport, marksAfterRestart, marksAfterWait, noMarks, type KubeletOrder, type PodMarks } from './pod-marks';
import { QuotaCharges } from './quota-charges';
import { StaticPods } from './static-pods';

/** How a pod's scheduling went so far: what the queue needs to be rebuilt. */
export interface AttemptRecord {
  attempts: number;
  /** Cluster time of the last attempt, ms. */
  at: number;
  outcome: string;
  message: string;
  plugins: string[];
  pendingPlugins: string[];
  position: number;
}

export interface PreemptionAct {
  event: RecordedEvent;
  /** Victims whose PodPreempted has been folded, by uid. */
  begun: Set<string>;
}

/** A question to an extender in an attempt that has not come to its end. */
export interface ExtenderQuestionRecord {
  extender: number;
  verb: string;
  /** Digest of what was asked. */
  question: string;
  answer?: JsonObject;
}

/** What an attempt has asked extenders, by the name of the question. */
export interface ExtenderDialogueRecord {
  attempt: string;
  questions: Map<string, ExtenderQuestionRecord>;
}

/** How a run of a container's program ends, and what it writes, where the pod does not tell it. */
export interface SettledProgram {
  container: string;
  restartCount: number;
  afterMs: number;
  exitCode: number;
  message?: string;
  output: [atMs: number, text: string][];
}

/** Runs of one container that are remembered: the present one, and the one before, whose log can still be asked for. */
const runsKept = 2;

const answers = new Set([
  'PodAdmitted',
  'PodRejected',
  'PriorityClassAdmitted',
  'PriorityClassRejected',
  'EvictionGranted',
  'EvictionRefused',
  'QuotaGranted',
  'QuotaRefused',
]);
const requests = new Set(['PodAdmissionRequested', 'PriorityClassAdmissionRequested', 'EvictionRequested', 'QuotaRequested']);

/**
 * The part of the state that no object shows: attempts by pod, preemptions under way, reviews waiting, what befell nodes.
 * Entries go with what they are about, so this stays as small as the cluster.
 */
export class DecisionRecords {
  readonly attempts = new Map<string, AttemptRecord>();
  /** Preemptions by the preemptor's uid; kept until the preemptor is bound or gone. */
  readonly acts = new Map<string, PreemptionAct>();
  /** By the pod's uid, while an attempt is waiting. */
  readonly dialogues = new Map<string, ExtenderDialogueRecord>();
  readonly pendingReviews = new Map<string, RecordedEvent>();
  /** Charges on quotas for writes that are still to come. */
  readonly quotaCharges = new QuotaCharges();
  /** What the operator has set of built-in admission. */
  admission: AdmissionConfiguration | undefined;
  /** What is true of simulated nodes and their machines. */
  readonly nodes = new NodeRecords();
  /** Pods that kubelets have from files. */
  readonly staticPods = new StaticPods();
  /** Somebody goes by the Leases of nodes: they are renewed. */
  heartbeatsWanted = false;
  /** By the pod's uid, for as long as it is there. */
  readonly programs = new Map<string, readonly SettledProgram[]>();
  /** By the pod's uid, while it has a node and is not over. */
  readonly podMarks = new Map<string, PodMarks>();
  /** Cluster times [from, to] during which nothing ran; the latest only. */
  resumed: { from: number; to: number } | undefined;

  /** @param decidedAt when its author decided on it, ms */
  fold(event: RecordedEvent, decidedAt: number): void {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const data = event.data as any;
    if (requests.has(event.type)) this.pendingReviews.set(event.id, event);
    else if (answers.has(event.type)) {
      this.pendingReviews.delete(data.review);
      if (event.type === 'QuotaRefused') this.quotaCharges.refused(data.review);
    } else if (event.type === 'SchedulingAttempted') this.attempted(event, data);
    else if (event.type === 'PreemptionDecided') this.acts.set(data.uid, { event, begun: new Set() });
    else if (event.type === 'ExtenderAsked') this.extenderAsked(data);
    else if (event.type === 'ExtenderAnswered') this.extenderAnswered(data);
    else if (nodeRecordTypes.has(event.type)) this.nodes.fold(event);
    else if (nodePressureTypes.has(event.type)) this.pressure(event);
    else if (event.type === 'PodPreemptedByKubelet') this.ordered(event);
    else if (event.type === 'ImagePullQueued') this.pullQueued(data);
    else if (event.type === 'HeartbeatsWanted') this.heartbeatsWanted = true;
    else if (event.type === 'HeartbeatsUnwanted') this.heartbeatsWanted = false;
    else if (event.type === 'ProgramSettled') this.programSettled(data);
    else if (event.type === 'Reported') this.reported(data, decidedAt);
    else if (event.type === 'AdmissionConfigured') this.admission = data as AdmissionConfiguration;
    else if (event.type === 'ClusterResumed') this.resumed = { from: data.from, to: data.to };
  }

  victimBegun(preemptorUid: string, victimUid: string): void {
    this.acts.get(preemptorUid)?.begun.add(victimUid);
  }

  /** A pod has changed. */
  mark(before: KubeObject | undefined, after: KubeObject, events: readonly RecordedEvent[], at: number): void {
    const { uid } = after.metadata;
    const marks = marksAfter(this.podMarks.get(uid) ?? noMarks, before, after, events, at);
    if (marks === noMarks) this.unmark(uid, at);
    else this.podMarks.set(uid, marks);
  }

  /** A pod is over or gone. */
  unmark(uid: string, at: number): void {
    const order = this.podMarks.get(uid)?.order;
    if (order) this.nodes.orderedPodEnded(order.node, uid, at);
    this.podMarks.delete(uid);
  }

  /** The kubelet process of these pods' node has begun anew. */
  kubeletRestarted(pods: Iterable<KubeObject>): void {
    for (const { metadata } of pods) {
      const marks = this.podMarks.get(metadata.uid);
      if (marks) this.podMarks.set(metadata.uid, marksAfterRestart(marks));
    }
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private pullQueued({ node, uid, container, askedAt, startsAt, tookMs }: any): void {
    this.nodes.pullQueued(node, { uid, container, askedAt, startsAt, endsAt: startsAt + tookMs });
    const marks = this.podMarks.get(uid);
    if (marks && startsAt > askedAt) this.podMarks.set(uid, marksAfterWait(marks, container, { askedAt, startsAt }));
  }

  private pressure(event: RecordedEvent): void {
    if (event.type !== 'PodEvictedByKubelet' || this.ordered(event)) this.nodes.fold(event);
  }

  /** A kubelet's order that a pod stops. False: the pod has gone meanwhile. */
  private ordered({ data }: RecordedEvent): boolean {
    const { node, uid, at, graceSeconds, reason, message, disruption, preemptor } = data as unknown as KubeletOrder & { uid: string };
    const marks = this.podMarks.get(uid);
    if (!marks) return false;
    const order = {
      node,
      at,
      graceSeconds,
      reason,
      message,
      ...(disruption === undefined ? {} : { disruption }),
      ...(preemptor ? { preemptor } : {}),
    };
    this.podMarks.set(uid, { ...marks, order });
    return true;
  }

  /** What its kubelet tells of a pod that is over, or gone, is of no consequence, but that it has ended what was left of it. */
  private reported(data: JsonObject, at: number): void {
    if (data.component !== 'kubelet' || data.resource !== 'pods') return;
    const marks = this.podMarks.get(data.uid as string);
    if (marks) this.podMarks.set(data.uid as string, marksAfterReport(marks, data, at));
    else if (data.reason === 'Killing') this.nodes.orphans.delete(data.uid as string);
  }

  podGone(uid: string): void {
    this.attempts.delete(uid);
    this.acts.delete(uid);
    this.dialogues.delete(uid);
    this.programs.delete(uid);
    this.nodes.podGone(uid);
  }

  /** What is settled of a run; undefined: nothing, or not yet. */
  settledProgram(uid: string, container: string, restartCount: number): SettledProgram | undefined {
    return this.programs.get(uid)?.find((run) => run.container === container && run.restartCount === restartCount);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private programSettled({ uid, container, restartCount, afterMs, exitCode, message, output }: any): void {
    const others = (this.programs.get(uid) ?? []).filter(
      (run) => run.container !== container || (run.restartCount !== restartCount && run.restartCount > restartCount - runsKept),
    );
    const settled = { container, restartCount, afterMs, exitCode, ...(message === undefined ? {} : { message }), output };
    this.programs.set(uid, [...others, settled]);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private extenderAsked({ uid, ask, attempt, extender, verb, question }: any): void {
    let dialogue = this.dialogues.get(uid);
    if (dialogue?.attempt !== attempt) this.dialogues.set(uid, (dialogue = { attempt, questions: new Map() }));
    dialogue?.questions.set(ask, { extender, verb, question });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private extenderAnswered({ uid, ask, answer, question }: any): void {
    const asked = this.dialogues.get(uid)?.questions.get(ask);
    if (asked && (question ?? asked.question) === asked.question) asked.answer = answer;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private attempted(event: RecordedEvent, data: any): void {
    const old = this.attempts.get(data.uid);
    this.dialogues.delete(data.uid);
    this.attempts.set(data.uid, {
      attempts: (old?.attempts ?? 0) + 1,
      at: event.metadata.time as number,
      outcome: data.outcome,
      message: data.message ?? old?.message ?? '',
      plugins: data.plugins ?? old?.plugins ?? [],
      pendingPlugins: data.pendingPlugins ?? [],
      position: event.position,
    });
  }
}
