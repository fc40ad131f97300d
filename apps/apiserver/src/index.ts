export { ApiserverModule, apiserverControllers } from './apiserver.module';
export { bootstrapCluster } from './bootstrap/bootstrap-cluster';
export type { BootstrapOptions } from './bootstrap/default-object';
