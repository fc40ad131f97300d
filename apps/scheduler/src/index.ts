export * from './scheduler.module';
export * from './scheduler-controllers';
export * from './extenders/extender-calls';
export * from './extenders/extender-provider';
export { loadPlugins } from './plugins/load-plugins';
export * from './leaves-out';
