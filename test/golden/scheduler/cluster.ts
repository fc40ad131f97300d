import type { KubeObject } from '#libs/kernel';
import { createProfiles, podInfoOf, SchedulerCache, SchedulingQueue } from '#libs/scheduling';
import type { Framework, Profiles } from '#libs/scheduling';
import type { Scenario } from './scenario';
import { listedManifests } from './scenario';

/** A scenario's cluster, in cache and queue. */
export interface LoadedCluster {
  readonly profiles: Profiles;
  readonly profile: Framework;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
}

/** The frozen clock of sequences starts 100 ms after a whole second. */
export const startOfClock = Date.parse('2026-01-03T00:00:00.100Z');

export function loadCluster(scenario: Scenario): LoadedCluster {
  const profiles = createProfiles(scenario.config);
  const cache = new SchedulerCache();
  for (const [list, resource] of listedManifests) {
    for (const object of (scenario[list] as KubeObject[] | undefined) ?? []) cache.setObject(resource, object);
  }
  for (const node of scenario.nodes ?? []) cache.addNode(node);
  const queue = new SchedulingQueue(profiles, cache.listers);
  for (const pod of scenario.pods ?? []) {
    if (pod.spec?.nodeName) cache.addPod(pod);
    else queue.nominator.add(podInfoOf(pod));
  }
  const profile = profiles.get('default-scheduler');
  if (profile === undefined) throw new Error(`${scenario.name}: no profile default-scheduler`);
  return { profiles, profile, cache, queue };
}
