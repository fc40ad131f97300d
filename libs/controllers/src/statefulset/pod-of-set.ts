import type { JsonObject, KubeObject, OwnerReference } from '#libs/kernel';
import { templateOf } from '../history/controller-revision';
import { volumesOf } from './claims-of-pod';
import { identityLabels, podName, podRevisionLabel, startOf } from './identity';

/** A set's two templates: pods below the partition are made from the current one. */
export interface Revisions {
  current: KubeObject;
  update: KubeObject;
}

/** The pod of an ordinal, as the template of the revision that is its says (upstream `newVersionedStatefulSetPod`). */
export function podOfSet(set: KubeObject, ref: OwnerReference, ordinal: number, revisions: Revisions): KubeObject {
  const revision = isOfCurrent(set, ordinal) ? revisions.current : revisions.update;
  const template = templateOf(revision) as { metadata?: JsonObject; spec: JsonObject };
  const { labels, annotations, finalizers } = (template.metadata ?? {}) as JsonObject;
  const name = podName(set, ordinal);
  const metadata = {
    name,
    generateName: `${set.metadata.name}-`,
    namespace: set.metadata.namespace,
    labels: { ...(labels as JsonObject | undefined), ...identityLabels(set, ordinal), [podRevisionLabel]: revision.metadata.name },
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ownerReferences: [ref],
  };
  const volumes = volumesOf(set, ordinal, (template.spec.volumes ?? []) as JsonObject[]);
  const { serviceName } = set.spec as { serviceName?: string };
  const spec = {
    ...template.spec,
    ...(volumes.length > 0 ? { volumes } : {}),
    hostname: name,
    ...(serviceName ? { subdomain: serviceName } : {}),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject;
}

function isOfCurrent(set: KubeObject, ordinal: number): boolean {
  const { type, rollingUpdate } = (set.spec?.updateStrategy ?? {}) as { type?: string; rollingUpdate?: { partition?: number } };
  if (rollingUpdate) return ordinal < startOf(set) + (rollingUpdate.partition ?? 0);
  const { currentReplicas = 0 } = (set.status ?? {}) as { currentReplicas?: number };
  return type === 'RollingUpdate' && ordinal < startOf(set) + currentReplicas;
}
