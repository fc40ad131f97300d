export * from './scheduler.module';
export * from './extenders/extender-shell';
export { loadPlugins } from './plugins/load-plugins';
export * from './leaves-out';
