import { nodeRecordTypes } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { policyObjects } from '#libs/kube-api';
import { appendOf, isLeadership, type Append } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import { isQuestion } from './identity';

/** What a process says of itself, and of the log. */
const lifecycleTypes = new Set(['ProcessStarted', 'ControllersStopped', 'ProcessStopped', 'RoundsTaken', 'Sealed']);
/** What the API server writes without a decision: the cluster's own life. */
const ofTheServer = new Set(['AdmissionConfigured', 'ClusterCreated', 'ClusterResumed', 'LogForked', 'LogImported']);

/** Objects that the API server makes in a cluster that does not have them, by `resource/namespace/name`. */
export const serversOwn: ReadonlySet<string> = new Set([
  'namespaces//kube-system',
  'namespaces//kube-public',
  'namespaces//default',
  'namespaces//kube-node-lease',
  'configmaps/kube-system/extension-apiserver-authentication',
  'configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
  'priorityclasses.scheduling.k8s.io//system-node-critical',
  'priorityclasses.scheduling.k8s.io//system-cluster-critical',
  'services/default/kubernetes',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io//exempt',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io//catch-all',
  'flowschemas.flowcontrol.apiserver.k8s.io//exempt',
  'flowschemas.flowcontrol.apiserver.k8s.io//catch-all',
  'flowschemas.flowcontrol.apiserver.k8s.io//probes',
  'ipaddresses.networking.k8s.io//10.0.0.1',
  'endpoints/default/kubernetes',
  'endpointslices.discovery.k8s.io/default/kubernetes',
]);
/** What the metrics server that is part of it is registered with. */
const ofMetricsServer: ReadonlySet<string> = new Set([
  'services/kube-system/metrics-server',
  'clusterroles.rbac.authorization.k8s.io//system:aggregated-metrics-reader',
  'apiservices.apiregistration.k8s.io//v1beta1.metrics.k8s.io',
]);
/** The Lease by which the server tells which one it is. */
const identityLease = /^leases\.coordination\.k8s\.io\/kube-system\/apiserver-[a-z2-7]{26}$/;

let ofPolicy: ReadonlySet<string> | undefined;

/** The roles and bindings of the cluster's policy. */
function isOfPolicy(place: string): boolean {
  ofPolicy ??= new Set(
    policyObjects().map(({ resource, object: { metadata } }) => `${resource}/${metadata.namespace ?? ''}/${metadata.name}`),
  );
  return ofPolicy.has(place);
}

export function isServersOwn(place: string): boolean {
  return serversOwn.has(place) || ofMetricsServer.has(place) || identityLease.test(place) || isOfPolicy(place);
}

/** A controller writes what it has decided, and nothing else; a user decides nothing. */
export class DecidedWrites implements AppendCheck {
  readonly letter = 'B';
  /** Objects that a signature was asked for and not written yet, by the name of the question. */
  private readonly unsigned = new Map<string, string>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const append = appendOf(events, this.cluster);
    const { first, notes } = append;
    const { actor, basis } = notes;
    const isUser = actor.startsWith('user:');
    for (const { type, data } of events) if (type === 'SignatureAsked') this.unsigned.set(data.ask as string, placeOf(data));
    if (basis) {
      const controller = basis.decision.slice(0, basis.decision.indexOf('/'));
      if (actor !== controller) this.findings.foundAt('B', first, `${actor} writes what ${controller} has decided`);
      else if (notes.step === undefined) this.findings.foundAt('B', first, `it is no step of ${basis.decision}`);
    } else if (isUser ? !isOfUsers(append) : !(actor === 'signing' ? this.isAsked(append) : isFreeOfDecision(append))) {
      this.findings.foundAt('B', first, `${actor} writes without a decision`);
    }
  }

  /** What was asked to be signed is written once, to that object. */
  private isAsked({ first, notes, subject }: Append): boolean {
    const { op = '' } = notes;
    const ask = op.slice(0, Math.max(op.lastIndexOf('/signature/'), 0));
    const isSignature = first.type === 'Updated' || first.type === 'StatusUpdated';
    if (!isSignature || subject?.kind !== 'object' || this.unsigned.get(ask) !== placeOf({ ...subject })) return false;
    return this.unsigned.delete(ask);
  }
}

/** The object that a signature is asked for, or that an append is to. */
function placeOf({ resource, namespace = '', name }: Record<string, unknown>): string {
  return `${String(resource)}/${String(namespace)}/${String(name)}`;
}

/** Users write objects, and what they ask for is asked of reviewers and kept in their name; they let things befall simulated nodes. */
function isOfUsers({ subject, events }: Append): boolean {
  return subject?.kind === 'object' || events.every((event) => isQuestion(event) || ofUsers.has(event.type));
}

const ofUsers: ReadonlySet<string> = new Set(['RequestKept', 'StaticPodFileChanged', ...nodeRecordTypes]);

/** Writes that follow from no decision, though no user asked for them. */
function isFreeOfDecision(append: Append): boolean {
  const { first, notes } = append;
  const { actor, op = '' } = notes;
  if (first.type === 'ControllerStarted') return actor === first.data.controller;
  if (isLeadership(append) || append.events.every(isQuestion)) return true;
  // An answer of an extender is recorded by the scheduler that asked.
  if (first.type === 'ExtenderAnswered') return (first.data.ask as string).startsWith(`${actor}/`);
  if (first.type === 'WebhookAnswered' || first.type === 'ConversionAnswered')
    return actor === 'webhook' && op === `webhook/${first.data.review as string}`;
  if (actor === 'kubereel') return append.events.every(({ type }) => lifecycleTypes.has(type));
  if (actor === 'apiservice-availability') return isOfAvailability(append);
  if (actor !== 'apiserver') return false;
  if (ofTheServer.has(first.type)) return true;
  if (first.type === 'HeartbeatsWanted' || first.type === 'HeartbeatsUnwanted') return op.startsWith('lease-watches/');
  if (first.type === 'ProgramSettled') return append.events.length === 1 && op === attachOf(first);
  // Until version 0.1.0 nothing says which operation it was.
  if (notes.w === undefined) return first.type === 'Created' || isOfEvents(append);
  if (first.type === 'Updated' && op === `bootstrap/${frontProxyTold}`) return isBootstrap(append);
  return (first.type === 'Created' && isBootstrap(append)) || (op.startsWith('event-ttl/') && isOfEvents(append));
}

/** Reasons that only the server of an aggregated API can give: what else there is to be told follows from the cluster. */
const ofAsking: ReadonlySet<unknown> = new Set(['Passed', 'FailedDiscoveryCheck', undefined]);

/** Whether a server of an aggregated API answers was asked outside; what came of it is the condition of its APIService. */
function isOfAvailability({ first, subject, notes }: Append): boolean {
  if (first.type !== 'StatusUpdated' || subject?.kind !== 'object' || subject.resource !== 'apiservices.apiregistration.k8s.io')
    return false;
  const told = conditionsOf(first.data);
  const isOne = told.length === 1 && told[0]?.type === 'Available' && ofAsking.has(told[0].reason);
  return isOne && (notes.op ?? '').startsWith(`availability/${subject.name}/`);
}

interface Condition {
  type?: string;
  reason?: string;
}

/** Conditions that a status got; the first ones of an object come as a whole. None where something else has changed too. */
function conditionsOf({ conditions, patch }: RecordedEvent['data']): readonly Condition[] {
  if (patch === undefined) return (conditions ?? []) as Condition[];
  const [{ path, value } = {}, ...others] = patch as { path?: string; value?: unknown }[];
  return conditions === undefined && others.length === 0 && path === '/status/conditions' ? (value as Condition[]) : [];
}

/** A cluster of before is told once of the certificate that its API server has as a front proxy since. */
const frontProxyTold = 'configmaps/kube-system/extension-apiserver-authentication';

/** A program was typed to until it ended: once for each run of a container. */
function attachOf({ data }: RecordedEvent): string {
  return `attach/${data.uid as string}/${data.container as string}/${data.restartCount as number}`;
}

/** Whether this is the creation of an object that the server makes where it is absent, in the operation named after it. */
export function isBootstrap({ subject, notes }: Append): boolean {
  if (subject?.kind !== 'object' || notes.actor !== 'apiserver') return false;
  const { resource, namespace, name } = subject;
  const place = `${resource}/${namespace}/${name}`;
  return notes.op === `bootstrap/${place}` && isServersOwn(place);
}

function isOfEvents({ subject }: Append): boolean {
  return subject?.kind === 'object' && subject.resource === 'events';
}
