export * from './scheduler.module';
export * from './extenders/extender-calls';
export { loadPlugins } from './plugins/load-plugins';
export * from './leaves-out';
