export type { ClientConfig } from './configured';
export * from './mutating';
export { readReviewAnswer, replyError, type CallReply } from './answer';
export { isWebhookAnswer, webhookAnswered, type OutsideCall, type WebhookOutcome } from './review';
export * from './validating';
