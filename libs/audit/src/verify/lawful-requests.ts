import { foldEvent } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata, Fact } from '#libs/events';
import type { GroupResource, JsonObject, KubeObject } from '#libs/kernel';
import {
  scaleOf,
  sentWithEmpty,
  type CreateRequest,
  type DeleteOptions,
  type ResourceKind,
  type Target,
  type UpdateRequest,
  type WriteRequest,
} from '#libs/kube-api';
import { beforeLabelKeys } from './merged-label-keys';
import { firstQuestionIn, questionIn, type Review } from './reviews';

/*
 * A write is lawful when the object as it is now could have been asked for as it is: what the server adds to a request, it adds to that
 * which it has already been added to once more, with the same outcome. The requests here are what could have been asked for.
 */

/** POST of the stored object, without the fields that the server alone sets. */
function createRequest(resource: GroupResource, object: KubeObject, reviews: readonly Review[]): CreateRequest {
  const { uid: _uid, creationTimestamp: _created, ...metadata } = object.metadata;
  const told = firstQuestionIn(reviews, 'PodAdmissionRequested')?.data;
  const isNameGenerated = metadata.generateName !== undefined && isDrawn(metadata.name, metadata.generateName, told);
  const { name: _name, ...unnamed } = metadata;
  const wanted = { ...object, metadata: isNameGenerated ? unnamed : metadata } as KubeObject;
  return {
    verb: 'create',
    resource,
    namespace: metadata.namespace,
    object: resource === 'pods' ? beforeLabelKeys(beforeReview(wanted, told)) : wanted,
  };
}

/** The write by which an object came into being: one to the status of what was not there hands out nothing. */
export function creationRequest(
  target: Target,
  object: KubeObject,
  reviews: readonly Review[],
  { sub }: EventMetadata,
  version: AskedVersion,
): WriteRequest {
  const creation = { ...createRequest(target.resource, object, reviews), ...version };
  if (sub !== 'status') return creation;
  return { verb: 'update', target, ...version, subresource: sub, object: creation.object };
}

/** What the server puts behind a prefix. */
const drawnSuffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const prefixMax = 58;

/** A client may send a name along, and is then not given one. */
function isDrawn(name: string, generateName: string, told: JsonObject | undefined): boolean {
  const asked = told?.name;
  if (asked !== undefined) return asked === generateName;
  const prefix = generateName.slice(0, prefixMax);
  return name.startsWith(prefix) && drawnSuffix.test(name.slice(prefix.length));
}

/** The priority fields are those that the reviewer was told, not what he made of them. */
function beforeReview(pod: KubeObject, told: JsonObject | undefined): KubeObject {
  if (!told) return pod;
  const { priority: _priority, preemptionPolicy: _policy, priorityClassName: _class, ...spec } = pod.spec ?? {};
  for (const field of ['priority', 'preemptionPolicy', 'priorityClassName']) if (told[field] !== undefined) spec[field] = told[field];
  return { ...pod, spec };
}

export interface AskedVersion {
  readonly version?: string;
}

/** `v1` of `apps/v1` */
export function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** PUT of what was asked for before webhooks changed it. */
export function askedUpdate(
  target: Target,
  before: KubeObject,
  { metadata, ...asked }: KubeObject,
  { sub }: EventMetadata,
  version: AskedVersion,
): WriteRequest {
  const { resourceVersion = before.metadata.resourceVersion } = metadata;
  const object = { ...asked, metadata: { ...metadata, resourceVersion } } as KubeObject;
  // A custom object is asked about whole, through whatever it is written.
  const subresource = sub === 'scale' && version.version !== undefined ? undefined : (sub as UpdateRequest['subresource']);
  return { verb: 'update', target, ...version, subresource, object };
}

/** PUT of the object after the write, through the same subresource. A Scale shows the fields that its kind says. */
export function updateRequest(
  { form, strategy }: ResourceKind,
  target: Target,
  before: KubeObject,
  after: KubeObject,
  { sub, version }: EventMetadata,
): WriteRequest {
  const object = { ...after, metadata: { ...after.metadata, resourceVersion: before.metadata.resourceVersion } };
  const subresource = sub as UpdateRequest['subresource'];
  // Each version of a custom kind fills in by a schema of its own.
  const written = form && version !== undefined ? { version: versionIn(version) } : {};
  return { verb: 'update', target, ...written, subresource, object: subresource === 'scale' ? scaleOf(object, strategy) : object };
}

/** The same update with what no version of the object keeps, but that tells in it: fields that are dropped, the spec of a write to the status. */
export function unkeptRequests(kind: ResourceKind, request: WriteRequest): WriteRequest[] {
  if (request.verb !== 'update') return [];
  const { object, target, subresource } = request;
  const as = (changes: object): WriteRequest[] => [{ ...request, object: { ...object, ...changes } as KubeObject }];
  if (target.resource === 'replicationcontrollers' && subresource === 'status') {
    // Labels are those of the template that was sent, where it has any.
    const { template: _, ...spec } = object.spec ?? {};
    return as({ spec });
  }
  // An empty list that was sent raises the generation, and is not kept.
  if (kind.strategy.emptyIsWish && kind.schema) {
    const exact = sentWithEmpty(kind.schema, object);
    return exact ? [{ ...request, exact }] : [];
  }
  if (target.resource !== 'endpointslices.discovery.k8s.io') return [];
  const [first, ...others] = (object.endpoints ?? []) as JsonObject[];
  return first ? as({ endpoints: [{ ...first, deprecatedTopology: { any: '' } }, ...others] }) : [];
}

/**
 * The updates that may have let a deletion end, which is not recorded: each empties what held the object. Such an update changes more where it
 * has to, or where somebody was asked about it: a name prefix that a write to the status left there is none that a write of the whole may keep,
 * and a priority class is the default one or not as its reviewer was told.
 */
export function releaseRequests(target: Target, before: KubeObject, { sub }: EventMetadata, reviews: readonly Review[]): WriteRequest[] {
  const { finalizers: _, generateName, ...metadata } = before.metadata;
  const object = { ...before, metadata } as KubeObject;
  if (sub === 'finalize') object.spec = { ...before.spec, finalizers: [] };
  const told = questionIn(reviews, 'PriorityClassAdmissionRequested')?.data;
  if (told) object.globalDefault = told.globalDefault;
  const asked = (sent: KubeObject): WriteRequest => ({
    verb: 'update',
    target,
    subresource: sub as UpdateRequest['subresource'],
    object: sent,
  });
  if (generateName === undefined) return [asked(object)];
  return [asked({ ...object, metadata: { ...metadata, generateName } } as KubeObject), asked(object)];
}

/** DELETE with each of the options that could have led to these facts. */
export function deleteOptions(events: readonly RecordedEvent[]): DeleteOptions[] {
  const requested = events.find(({ type }) => type === 'DeletionRequested');
  const grace = requested?.data.gracePeriodSeconds as number | undefined;
  const graces = grace === undefined ? [{}] : [{}, { gracePeriodSeconds: grace }];
  const policies = [{}, { propagationPolicy: 'Background' }, { propagationPolicy: 'Foreground' }, { propagationPolicy: 'Orphan' }] as const;
  return policies.flatMap((policy) => graces.map((given) => ({ ...policy, ...given })));
}

export function bindRequest(target: Target, events: readonly RecordedEvent[]): WriteRequest | undefined {
  const scheduled = events.find(({ type }) => type === 'PodScheduled');
  if (!scheduled) return undefined;
  const { node, annotations } = scheduled.data as { node: string; annotations?: Record<string, string> };
  return { verb: 'bind', target, node, annotations };
}

/** An eviction's options are in the question that was asked of the budgets. */
export function evictRequest(target: Target, reviews: readonly Review[]): WriteRequest | undefined {
  const question = questionIn(reviews, 'EvictionRequested');
  return question && { verb: 'evict', target, deleteOptions: question.data.options as DeleteOptions };
}

/** The object after the facts; undefined when it is gone. */
export function folded(before: KubeObject | undefined, facts: readonly Fact[], time: number): KubeObject | undefined {
  let object = before;
  for (const { type, data } of facts) object = foldEvent(object, { type, data, time });
  return object;
}

export function factsOf(events: readonly RecordedEvent[]): Fact[] {
  return events.map(({ type, data }) => ({ type, data: data as JsonObject }) as Fact);
}
