import type { Step } from '#libs/control-loop';
import { formatTime, type KubeObject } from '#libs/kernel';
import { controllerReference } from '../loop/claims';
import { endpointSlices, triggerTimeAnnotation } from './service';
import type { SlicePlan } from './slice';

/** What is to be done with a Service's slices of one address type. */
export interface SliceChanges {
  create: SlicePlan[];
  update: SlicePlan[];
  delete: KubeObject[];
}

/** Where slices are created and others deleted, those take the names of these instead (upstream `finalize`). */
export function recycled({ create, update, delete: gone }: SliceChanges, mayTake: (slice: KubeObject) => boolean): SliceChanges {
  const changes: SliceChanges = { create: [...create], update: [...update], delete: [] };
  for (const slice of gone) {
    const next = mayTake(slice) ? changes.create.at(-1) : undefined;
    if (!next || next.addressType !== slice.addressType) changes.delete.push(slice);
    else {
      changes.create.pop();
      changes.update.push({ ...next, takes: slice.metadata.name });
    }
  }
  return changes;
}

/** @param trigger ms since the epoch; undefined: the annotation goes */
export function annotationsOf(plan: SlicePlan, trigger: number | undefined): Record<string, string> | undefined {
  const { [triggerTimeAnnotation]: _, ...kept } = plan.present?.metadata.annotations ?? {};
  const annotations = trigger === undefined ? kept : { ...kept, [triggerTimeAnnotation]: formatTime(trigger) };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

/** Whose slice it is, and what it is named after where it is made anew. */
export interface SliceOwner {
  object: KubeObject;
  kind: 'Service' | 'Endpoints';
  generateName?: string;
}

/** The whole slice, as it is to be stored. */
export function sliceObject(
  { present, takes, labels, addressType, endpoints, ports }: SlicePlan,
  { object: owner, kind, generateName }: SliceOwner,
  annotations: Record<string, string> | undefined,
): KubeObject {
  const metadata = present?.metadata ?? {
    ...(takes === undefined ? {} : { name: takes }),
    ...(generateName === undefined ? {} : { generateName }),
    namespace: owner.metadata.namespace,
    ownerReferences: [controllerReference(owner, 'v1', kind)],
  };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels, annotations },
    addressType,
    endpoints: endpoints.length > 0 ? endpoints : null,
    ports: ports.length > 0 ? ports : null,
  } as unknown as KubeObject;
}

/** The server draws the name. */
export function creation(object: KubeObject, index: number): Step {
  const { namespace } = object.metadata;
  return { step: `create/${index}`, request: { verb: 'create', resource: endpointSlices, namespace, object } };
}

export function replacement(object: KubeObject): Step {
  const { name, namespace } = object.metadata;
  return { step: `update/${name}`, request: { verb: 'update', target: { resource: endpointSlices, namespace, name }, object } };
}

export function deletion({ metadata: { name, namespace } }: KubeObject): Step {
  return { step: `delete/${name}`, request: { verb: 'delete', target: { resource: endpointSlices, namespace, name } } };
}
