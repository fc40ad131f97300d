export { convertByWebhook } from './call-converters';
export { webhookCaller } from './call-webhooks';
export { WebhookClient, type CallOptions, type CallResult, type ResolveService } from './client';
export { resolveServices } from './resolve-service';
export { goNetworkError } from './go-errors';
export { BackendConnections, type Backend, type ClientIdentity } from './backend-connections';
