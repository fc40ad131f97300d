export { convertByWebhook } from './call-converters';
export { webhookCaller } from './call-webhooks';
export { WebhookClient, type CallOptions, type CallResult, type ResolveService } from './client';
export { resolveServices, servedAtAnnotation } from './resolve-service';
