export * from './options';
export * from './keys';
export * from './control-plane.module';
export * from './controller-host';
export * from './control-plane-process';
export * from './provide-controllers';
export * from './log-memory';
export * from './log-source';
export * from './log-tail';
export * from './snapshot-file';
export * from './report-availability';
export * from './run-app';
export * from './server-address';
export * from './tell-leads';
export * from './this-instance';
export {
  BackendConnections,
  convertByWebhook,
  goNetworkError,
  WebhookClient,
  resolveServices,
  type Backend,
  type CallOptions,
  type CallResult,
  type ClientIdentity,
  type ResolveService,
} from './outside';
