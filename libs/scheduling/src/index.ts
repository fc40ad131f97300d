/**
 * The pure scheduler: what kube-scheduler v1.34 decides, as functions of a snapshot, a pod, the time and a source of chance. Held to
 * recorded decisions by test/golden/scheduler.
 *
 * ```ts
 * const profiles = createProfiles(config);                        // object of a KubeSchedulerConfiguration, or nothing; throws ConfigurationError
 * const cache = new SchedulerCache();                             // nodes, assigned and assumed pods, listers
 * const queue = new SchedulingQueue(profiles, cache.listers);     // pending pods; queue.nominator: who was promised which node
 * // Changes of objects go into both by the handlers of `#libs/scheduler` (onNode, onPod, onObject), in log order.
 *
 * const popped = queue.pop(now);                                  // by queue.nextWake(now) at the latest; in flight from here on
 * const { info } = popped.pod;
 * const result = schedulePod(cache.snapshot(), info.pod, {
 *   profile: profiles.get(schedulerName), percentageOfNodesToScore: profiles.configuration.percentageOfNodesToScore,
 *   nominated: queue.nominator, chance, nextStartNodeIndex, now });
 * ```
 * - `bound`: `cache.assumePod(info.pod, result.node)`, `queue.nominator.delete(uid)`, `queue.done(uid)`; `prepareBinding` runs Reserve,
 *   Permit and PreBind (writes to make first); then append the binding. If it fails: `cache.forgetPod(uid)`, an AssignedPodDelete through
 *   `queue.movePodsOnEvent`, `queue.addUnschedulable(popped.pod, { kind: 'error', … }, now)`.
 * - `unschedulable`: `queue.addUnschedulable(popped.pod, result, now, podAsItIsNow)`; then condition (`result.message`), nomination
 *   (`postFilter.nominatedNodeName`: a node, '' = cleared, undefined = left alone), and for `postFilter.preemption.chosen` its victims
 *   and the `nominationsToClear`. While victims are being deleted: `queue.setPreempting(uid, true)`.
 * - `error`: as unschedulable, with `result.reason`; the nomination is cleared.
 * - `ask` (only with `extenders`): POST `call.body` to `call.url`, make the attempt again with one answer more (`extenderAnswers`: in order, or
 *   by question) and the same chance. `bindCall` is the question to an extender that binds.
 * - A pod that Permit holds back stays assumed; `prepareBindingAgain` asks anew, `permitTimedOut` and `preemptedAtPermit` are its other ends.
 *
 * **Explaining.** The same call with `evaluateAll: true` looks at every node and tries every potential one in preemption:
 * `diagnosis.statusOf(node)` has the refusing plugin and reasons of each, `scores.byPlugin` the weighted scores, `postFilter.preemption` all
 * candidates with victims and violations, what was rejected and why, the best and the criterion that decided.
 *
 * **Determinism.** Ties, the start of a dry run and nothing else are taken by `chance(bound)`; at most two draws an attempt. Node order is
 * upstream's node tree and so depends on the order in which nodes came. Times are milliseconds since the epoch. Objects are in stored
 * form and immutable: a change is a new object. A snapshot is a view, valid until its cache next changes.
 *
 * **Plugins of one's own** implement the interfaces of framework/interface.ts and go into `createProfiles(config, { registry })`; see
 * custom-plugin.unit.spec.ts.
 */
export type * from './attempt-result';
export * from './binding';
export * from './cache/cache';
export * from './config/errors';
export { parseConfiguration } from './config/parse';
export * from './config/profiles';
export type * from './config/types';
export { bindCall, bindError } from './extenders/bind';
export { isInterested } from './extenders/extender';
export { recordedAnswer } from './extenders/recorded-answer';
export type { ExtenderAnswer, ExtenderAnswers, ExtenderCall, ExtenderVerb } from './extenders/extender';
export * from './framework/cycle-state';
export type * from './framework/cycle';
export * from './framework/diagnosis';
export * from './framework/events';
export type * from './framework/interface';
export { assignedNode, isTerminal, nominatedNode, podPriority, schedulerNameOf } from './framework/kube-types';
export type { ListedResource } from './framework/listers';
export { Listers, listedResources } from './framework/listers';
export * from './framework/node-info';
export * from './framework/nominated-pods';
export * from './framework/pod-info';
export { podLevelResource, podLevelResourcesSet } from './framework/pod-requests';
export { Framework } from './framework/runtime';
export type * from './framework/snapshot';
export * from './framework/status';
export { toleratesTaint, untoleratedTaint, type Taint, type Toleration } from './framework/tolerations';
export type { PluginFactory, Registry } from './plugins/registry';
export * from './queue/nominator';
export type * from './queue/queued-pod-info';
export * from './queue/scheduling-queue';
export { nodeUpdateEvents, podUpdateEvents } from './queue/pod-update-events';
export * from './schedule-pod';
export * from './score-nodes';
