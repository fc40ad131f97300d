/**
 * The scheduler as a controller, in kube-scheduler's words: what scheduler.go, schedule_one.go and eventhandlers.go are there, README.md
 * says where it is here. Framework, plugins, queue and preemption are `#libs/scheduling`.
 */
export * from './event-handlers';
export { attemptOf } from './outcome';
export * from './scheduler';
export type { SchedulerState } from './scheduler-state';
