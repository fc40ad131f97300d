export * from './scheduler-controller';
export * from './scheduler.module';
export type { SchedulerState } from './scheduler-state';
