/**
 * The pure scheduler: what kube-scheduler decides, as functions of a snapshot, a pod, the time and a source of chance.
 *
 * ```ts
 * const profiles = createProfiles(configFileOrNothing);              // throws ConfigurationError
 * const cache = new SchedulerCache();                                 // nodes, assigned and assumed pods, listers
 * const queue = new SchedulingQueue(profiles, cache.listers);         // pending pods
 * const handlers = new EventHandlers(cache, queue, profiles);         // object changes, in log order, into both
 * handlers.onNode(undefined, node, now); handlers.onPod(old, updated, now); handlers.onObject('services', old, updated, now);
 *
 * const popped = queue.pop(now);                                      // at queue.nextWake(now) at the latest
 * const result = schedulePod(cache.snapshot(), popped.pod.info.pod, { profile, nominated: queue.nominator, chance, nextStartNodeIndex, now });
 * // bound:          cache.assumePod(pod, result.node); queue.nominator.delete(uid); queue.done(uid); then append the binding
 * //                 (refused: cache.forgetPod(uid), handlers' AssignedPodDelete, queue.addUnschedulable(…))
 * // unschedulable:  queue.addUnschedulable(popped.pod, result, now); then append condition, nomination, PreemptionDecided
 * ```
 * Times are milliseconds since the epoch. Objects are stored form and immutable: a change is a new object.
 */
export type * from './attempt-result';
export * from './binding';
export * from './cache/cache';
export * from './config/errors';
export { parseConfiguration } from './config/parse';
export * from './config/profiles';
export type * from './config/types';
export * from './event-handlers';
export { isInterested } from './extenders/extender';
export type { ExtenderAnswer, ExtenderAnswers, ExtenderCall, ExtenderVerb } from './extenders/extender';
export * from './framework/cycle-state';
export type * from './framework/cycle';
export * from './framework/diagnosis';
export * from './framework/events';
export type * from './framework/interface';
export type { ListedResource } from './framework/listers';
export { Listers, listedResources } from './framework/listers';
export * from './framework/node-info';
export * from './framework/nominated-pods';
export * from './framework/pod-info';
export { Framework } from './framework/runtime';
export type * from './framework/snapshot';
export * from './framework/status';
export type { PluginFactory, Registry } from './plugins/registry';
export * from './queue/nominator';
export type * from './queue/queued-pod-info';
export * from './queue/scheduling-queue';
export { nodeUpdateEvents, podUpdateEvents } from './queue/pod-update-events';
export * from './scheduler';
export * from './score-nodes';
