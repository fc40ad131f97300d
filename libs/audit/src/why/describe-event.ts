import { goDuration } from '#libs/kernel';
import type { ClusterState, ObjectChange } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { isSecretStream, type VictimReference } from '#libs/events';
import { changeWords } from './change-words';
import { loadWords, pressureWords } from './eviction-words';
import type { BudgetStatus } from './standing/budget';
import { statusWords } from './status-words';
import { streamWords } from './words';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Data = any;

/** An event where it stands in the log. */
export interface Told {
  event: RecordedEvent;
  cluster: string;
  /** What its frame changed; absent for decisions. */
  change?: ObjectChange;
  /** The cluster with this append folded and nothing behind it. */
  state: ClusterState;
  /** What led to it, as far as it is known here. */
  cause?: RecordedEvent;
  /** Of a pod that was preempted before: by whom. */
  preemptor?: string;
}

/** One event in a sentence; undefined for those that say nothing a reader of the story needs. */
export function describeEvent(told: Told): string | undefined {
  const { event, cluster } = told;
  const about = streamWords(cluster, event.stream);
  const describe = descriptions[event.type];
  if (describe) return describe(event.data, about, told);
  return `${about} ${spaced(event.type)}`.trim();
}

function spaced(type: string): string {
  return type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

type Description = (data: Data, about: string, told: Told) => string | undefined;

const descriptions: Record<string, Description> = {
  Created: (_data, about) => `${about} created`,
  Updated: (_data, about, { event, change }) => {
    const words = change?.before && changeWords(change.before, change.object, isSecretStream(event.stream));
    return words && `${about} ${words}`;
  },
  StatusUpdated: (_data, about, { change }) => {
    const words = change?.before && statusWords(change.resource, change.before, change.object);
    return words && `${about} ${words}`;
  },
  DeletionRequested: (data, about, { preemptor }) =>
    preemptor === undefined
      ? `${about} to be deleted${data.gracePeriodSeconds ? `, with ${data.gracePeriodSeconds} s grace` : ''}`
      : `${about} preempted by ${preemptor}`,
  Deleted: (_data, about) => `${about} gone`,
  PodAdmissionRequested: (data) =>
    data.priorityClassName ? `asks for PriorityClass ${data.priorityClassName}` : 'asks for no PriorityClass',
  PodAdmitted: (data) =>
    `admitted with priority ${data.priority}${data.priorityClassName ? ` (${data.priorityClassName})` : ''}, ${data.preemptionPolicy}`,
  PodRejected: (data) => `rejected: ${data.status?.message}`,
  QuotaRequested: (data) => `asks the quotas of ${data.namespace} for ${amountsWords(data.usage as Record<string, string>)}`,
  QuotaGranted: () => 'there is room in the quotas',
  QuotaRefused: (data) => `refused: ${data.status?.message}`,
  QuotaCharged: (data, about) => `${about} charged for ${(data.charges as { name: string }[]).map(({ name }) => name).join(', ')}`,
  WebhookAsked: (data) => `asks the ${data.type} webhook ${data.webhook}${data.round ? ' once more' : ''}`,
  WebhookAnswered: (data) => webhookSaid(data),
  ConversionAsked: (data) => `asks the conversion webhook for ${data.kind} ${data.name} in ${data.desiredAPIVersion}`,
  ConversionAnswered: (data) => (data.outcome.error === undefined ? 'the conversion webhook answered' : data.outcome.error),
  PodScheduled: (data, about) => `${about} bound to ${data.node}`,
  PodSchedulingFailed: (data, about) => `${about} could not be scheduled: ${data.message}`,
  PodNominated: (data, about) => `${about} nominated to ${data.node}`,
  PodNominationCleared: (_data, about) => `${about} loses its nomination`,
  PodPreempted: (data, about, told) => `${about} preempted on ${data.node} by ${podWithPriority(told, data.preemptor, data.preemptorUid)}`,
  PodDisruptionTargeted: (data, about) =>
    data.reason === 'EvictionByEvictionAPI' ? `${about} evicted` : `${about} to be disrupted: ${data.reason}: ${data.message}`,
  SchedulingAttempted: (data) => attempted(data),
  SignatureAsked: (data) => `has ${data.resource === 'secrets' ? 'a token' : 'a certificate'} signed for ${data.name}`,
  ExtenderAsked: (data) => `asks the extender at ${data.url}${data.node === undefined ? '' : ` to bind it to ${data.node}`}`,
  ExtenderAnswered: (data) =>
    data.answer?.error === undefined ? 'the extender answered' : `the extender gave no answer: ${data.answer.error}`,
  BindingRefused: (data) => `not bound to ${data.node}: the pod was gone or going by then`,
  PodHeldAtPermit: (data) => `held back on ${data.node} by ${(data.plugins as string[]).join(', ')}`,
  PreemptionDecided: (data) => {
    const victims = (data.victims as VictimReference[]).map(({ namespace, name, priority }) => `${namespace}/${name} (${priority})`);
    return `${data.namespace}/${data.pod} (${data.priority}) preempts ${victims.join(' and ')} on ${data.node}`;
  },
  PodAcceptedByKubelet: (data) => `accepted by the kubelet of ${data.node}`,
  PodResizeAllocated: (data) => `resized by the kubelet of ${data.node}: ${(data.containers as string[]).join(', ')}`,
  PodRejectedByKubelet: (data, about) => `${about} rejected by the kubelet: ${data.reason}: ${data.message}`,
  ContainerStarted: (data) => `container ${data.container} started`,
  ContainerStartFailed: (data) => `container ${data.container} could not be started: ${data.message}`,
  ContainerExited: (data) => `container ${data.container} ended: ${data.reason}, exit code ${data.exitCode}`,
  ContainersStopping: (data) => `containers are being stopped, ${data.gracePeriodSeconds} s grace`,
  PodBecameReady: (_data, about) => `${about} ready`,
  PodTerminated: (data, about) => `${about} terminated: ${data.phase}`,
  EvictionRequested: (data) => `${pod(data)}: eviction asked for${data.dryRun ? ' (dry run)' : ''}`,
  EvictionGranted: (data) =>
    `${pod(data)}: eviction granted${data.budget ? ` by budget "${data.budget}", which is charged` : ', no budget in the way'}`,
  EvictionRefused: (data) => `${pod(data)}: eviction refused${refusedBy(data.status)}`,
  DisruptionBudgetRecomputed: (_data, about, told) => budgetWords(about, told),
  HeartbeatsWanted: () => 'somebody watches the Leases of nodes: they are renewed',
  HeartbeatsUnwanted: () => 'nobody watches the Leases of nodes any more: they are not renewed',
  ProgramSettled: (data) => `the program of container ${data.container} of ${data.namespace}/${data.pod} ends with ${data.exitCode}`,
  NodeHeartbeatStopped: (data) => `node ${data.node} is silent: its kubelet tells nothing any more`,
  NodeHeartbeatResumed: (data) => `node ${data.node} is heard again`,
  StaticPodFileChanged: (data) =>
    data.manifest
      ? `the kubelet of node ${data.node} finds ${data.file} in its folder`
      : `${data.file} is gone from the folder of node ${data.node}`,
  StaticPodRejected: (data) => `${data.file} not run on node ${data.node}: ${data.reason}: ${data.message}`,
  NodeLoadChanged: (data) => loadWords(data),
  KubeletRestarted: (data) => (data.reboot ? `node ${data.node} has been rebooted` : `the kubelet of node ${data.node} began anew`),
  RuntimeStateChanged: runtimeWords,
  ImagePullQueued: (data) => pullWords(data),
  NodePressureObserved: (data) => pressureWords(data),
  PodEvictedByKubelet: (data) =>
    `the kubelet of ${data.node} evicts ${pod(data)}, with ${data.graceSeconds} s to stop: ${(data.message as string).trim()}`,
  PodPreemptedByKubelet: (data) => `the kubelet of ${data.node} ends ${pod(data)} to make room for the critical pod ${data.preemptor}`,
  NodeShutdownStageBegun: (data) => `pods from priority ${data.priority} on are told to end on node ${data.node}, which shuts down`,
  NodeShutdownBegun: (data) => `node ${data.node} is being shut down`,
  Reported: (data, _about, told) =>
    usualReports.has(data.reason as string) || toldOtherwise.has(data.reason as string)
      ? undefined
      : `${data.reason}: ${reported(data.message as string, told)}`,
};

function pullWords({ node, namespace, pod: name, container, image, askedAt, startsAt }: Data): string {
  const waitedMs = (startsAt as number) - (askedAt as number);
  const waits = waitedMs > 0 ? `, in ${goDuration(waitedMs)}, when the pulls before it are over` : '';
  return `node ${node} is to pull ${image} for container ${container} of ${namespace}/${name}${waits}`;
}

function runtimeWords({ node, runtime, network, killed, rebooted }: Data): string {
  const is = (up: string): string => (up === 'up' ? 'ready' : 'not ready');
  const words = [
    ...(runtime ? [`its container runtime is ${is(runtime)}`] : []),
    ...(network ? [`its network plugin is ${is(network)}`] : []),
    ...(killed?.length ? [`${killed.length === 1 ? 'the sandbox of a pod' : `the sandboxes of ${killed.length} pods`} died`] : []),
    ...(rebooted ? ['its machine went down, and every container with it'] : []),
  ];
  return `node ${node}: ${words.join('; ')}`;
}

/** Reports beside an event of their own that says more. */
const toldOtherwise = new Set(['Evicted', 'EvictionThresholdMet']);

/** What every kubelet reports when it starts. */
const usualReports = new Set([
  'Starting',
  'NodeHasSufficientMemory',
  'NodeHasNoDiskPressure',
  'NodeHasSufficientPID',
  'NodeAllocatableEnforced',
]);

function pod({ namespace, pod: name }: Data): string {
  return `pod ${namespace}/${name}`;
}

function webhookSaid({ webhook, outcome }: Data): string {
  if (outcome.error !== undefined) return `the webhook ${webhook} gave no answer of use: ${outcome.error}`;
  if (!outcome.allowed) return `the webhook ${webhook} refuses it${outcome.status?.message ? `: ${outcome.status.message}` : ''}`;
  return `the webhook ${webhook} admits it${outcome.patch ? ', changed' : ''}`;
}

function attempted(data: Data): string {
  if (data.outcome === 'nominated') return `no node fits; room is made on ${data.node}`;
  if (data.outcome === 'skipped') return 'not scheduled: it is being deleted';
  return data.message === undefined ? 'tried again, with the same outcome' : `stays pending: ${data.message}`;
}

const needsHealthy = /^The disruption budget (\S+) needs (\d+) healthy pods and has (\d+) currently$/;

function refusedBy(status: Data): string {
  const cause = (status?.details?.causes?.[0]?.message ?? status?.message ?? '') as string;
  const [, budget, needs, has] = needsHealthy.exec(cause) ?? [];
  return budget === undefined ? `: ${cause}` : ` by budget "${budget}": needs ${needs} healthy, has ${has}`;
}

function budgetWords(about: string, { change, cause, cluster }: Told): string | undefined {
  const before = (change?.before?.status ?? {}) as BudgetStatus;
  const after = (change?.object.status ?? {}) as BudgetStatus;
  const keys = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  if (keys.every((key) => (before[key] ?? 0) === (after[key] ?? 0))) return undefined;
  const [allowed, healthy] = (['disruptionsAllowed', 'currentHealthy'] as const).map((key) => {
    const [was = 0, is = 0] = [before[key], after[key]];
    return was === is ? String(is) : `${was} → ${is}`;
  });
  const why = cause && coming(cause, cluster);
  return `${about} allows ${allowed} (healthy ${healthy} of ${after.expectedPods ?? 0}, wants ${after.desiredHealthy ?? 0})${why ? `: ${why}` : ''}`;
}

const comings: Record<string, string> = {
  Created: 'came',
  Deleted: 'is gone',
  DeletionRequested: 'is going',
  PodPreempted: 'is preempted',
  PodBecameReady: 'is ready',
  PodTerminated: 'has ended',
  PodScheduled: 'is bound',
};

function coming({ type, stream }: RecordedEvent, cluster: string): string | undefined {
  const what = stream.includes('.pods-') ? comings[type] : undefined;
  return what && `${streamWords(cluster, stream)} ${what}`;
}

const preemptedByUid = /^Preempted by pod ([0-9a-f-]{36}) on node /;

/** Upstream's reports name the preemptor by its uid. */
function reported(message: string, told: Told): string {
  const uid = preemptedByUid.exec(message)?.[1];
  if (uid === undefined) return message;
  for (const { metadata } of told.state.list('pods')) {
    if (metadata.uid === uid) return message.replace(`pod ${uid}`, podWithPriority(told, `${metadata.namespace}/${metadata.name}`, uid));
  }
  return message;
}

/** `default/pay-1 (10000)`; the name alone where the pod is gone. @param key `namespace/name` */
function podWithPriority({ state }: Told, key: string, uid: string): string {
  const found = state.byKey('pods', key);
  const priority = found?.metadata.uid === uid ? (found.spec?.priority as number | undefined) : undefined;
  return priority === undefined ? key : `${key} (${priority})`;
}

function amountsWords(amounts: Record<string, string>): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(', ');
}
