import type { KubeObject } from '#libs/kernel';
import { schemaData } from '../../schema';

/** By group: its place among the groups; of groups of one release no two that clients could mistake for one another share one. */
const groupPriorities: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};

/** By group and version, where it is not that of most. */
const versionPriorities: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};
const usualVersionPriority = 15;

/** An APIService for each group version that the server answers itself, as they are sent to be created; none for APIServices themselves. */
export function localApiServices(): KubeObject[] {
  const made = new Map<string, KubeObject>();
  for (const { group, version } of schemaData.resources) {
    const groupPriorityMinimum = groupPriorities[group];
    if (groupPriorityMinimum === undefined) continue;
    const name = `${version}.${group}`;
    const versionPriority = versionPriorities[`${group}/${version}`] ?? usualVersionPriority;
    made.set(name, {
      metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
    } as unknown as KubeObject);
  }
  return [...made.values()];
}
