import type { KubeObject } from '#libs/kernel';
import type { Profiles } from '../config/profiles';
import type { ClusterEvent, ClusterEventWithHint } from '../framework/events';
import { Action, isWildcard, matchesEvent, on } from '../framework/events';
import type { Listers } from '../framework/listers';
import type { QueuedPodInfo } from './queued-pod-info';
import type { PodGroup } from './unschedulable-pods';

/** Where a waiting pod goes on an event. `queueImmediately` skips back-off: what the pod waited for has come. */
export type RequeueStrategy = 'skip' | 'queueAfterBackoff' | 'queueImmediately';

interface PluginHints {
  readonly name: string;
  /** Undefined: the plugin wants to know of everything. */
  readonly registered: readonly ClusterEventWithHint[] | undefined;
}

/** Which events may make which waiting pods schedulable: the plugins' queueing hints. */
export class Requeueing {
  private readonly byScheduler = new Map<string, ReadonlyMap<string, PluginHints>>();

  constructor(
    profiles: Profiles,
    private readonly listers: Listers,
  ) {
    for (const [schedulerName, framework] of profiles.bySchedulerName) {
      const hints = framework
        .all()
        .map((plugin): [string, PluginHints] => [
          plugin.name,
          { name: plugin.name, registered: withTaintUpdates(plugin.eventsToRegister?.()) },
        ]);
      this.byScheduler.set(schedulerName, new Map(hints));
    }
  }

  /** False when no pod of the group can be concerned. */
  concerns(group: PodGroup, event: ClusterEvent): boolean {
    const plugins = this.byScheduler.get(group.schedulerName);
    if (plugins === undefined) return false;
    if (group.gatingPlugin !== undefined && !isRegistered(plugins.get(group.gatingPlugin), event)) return false;
    if (group.rejectors.size === 0 || isWildcard(event)) return true;
    for (const name of group.rejectors) if (isRegistered(plugins.get(name), event)) return true;
    return false;
  }

  strategy(pod: QueuedPodInfo, event: ClusterEvent, old: KubeObject | undefined, updated: KubeObject | undefined): RequeueStrategy {
    if (pod.unschedulablePlugins.size === 0 && pod.pendingPlugins.size === 0) return 'queueAfterBackoff';
    if (isWildcard(event)) return 'queueAfterBackoff';
    for (const name of pod.pendingPlugins) if (this.wantsQueue(name, pod, event, old, updated)) return 'queueImmediately';
    for (const name of pod.unschedulablePlugins) if (this.wantsQueue(name, pod, event, old, updated)) return 'queueAfterBackoff';
    return 'skip';
  }

  private wantsQueue(
    pluginName: string,
    pod: QueuedPodInfo,
    event: ClusterEvent,
    old: KubeObject | undefined,
    updated: KubeObject | undefined,
  ): boolean {
    // A name without a plugin is an extender's: any event may matter to it.
    const plugin = this.byScheduler.get(pod.info.spec.schedulerName || 'default-scheduler')?.get(pluginName);
    if (plugin?.registered === undefined) return true;
    for (const { event: registered, hint } of plugin.registered) {
      if (!matchesEvent(registered, event)) continue;
      if (hint === undefined || hint(pod.info, old, updated, this.listers) === 'Queue') return true;
    }
    return false;
  }
}

function isRegistered(plugin: PluginHints | undefined, event: ClusterEvent): boolean {
  if (plugin?.registered === undefined) return true;
  return plugin.registered.some(({ event: registered }) => matchesEvent(registered, event));
}

/** As upstream, who wants to know of new nodes is also told of every change of taints, and takes it as a reason to try again. */
function withTaintUpdates(registered: readonly ClusterEventWithHint[] | undefined): readonly ClusterEventWithHint[] | undefined {
  if (registered === undefined) return undefined;
  const wants = (action: number): boolean => registered.some(({ event }) => event.resource === 'Node' && (event.actions & action) !== 0);
  return wants(Action.Add) && !wants(Action.UpdateNodeTaint) ? [...registered, on('Node', Action.UpdateNodeTaint)] : registered;
}
