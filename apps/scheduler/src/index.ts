export * from './scheduler-controller';
export * from './scheduler.module';
export type { SchedulerState } from './scheduler-state';
export * from './extenders/extender-shell';
export { loadPlugins } from './plugins/load-plugins';
export * from './leaves-out';
