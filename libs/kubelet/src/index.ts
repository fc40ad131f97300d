export { evictionConfigOf, type EvictionConfig, type EvictionSettings } from './eviction';
export * from './container-process';
export { logOfRun, writesAfter, writtenUpTo, type LogOfRun } from './behaviour';
export * from './kubelet-controllers';
export { leaseNamespace, leaseResource } from './node-registration/lease';
export { podStatusOf } from './pod-lifecycle/status/pod-status';
export { keptOutput } from './pod-lifecycle/runtime/own-program';
export type { ContainerRun, Exit, PodRuntime } from './pod-lifecycle/runtime/container-run';
export { errorsOfStaticPod, mirrorOf } from './static-pods/mirror-of';
