export type { ClientConfig } from './configured';
export * from './mutating';
export { readReviewAnswer } from './answer';
export { readReply, replyError, type CallReply, type ReplyKind } from './reply';
export { isWebhookAnswer, webhookAnswered, withoutTimes, type OutsideCall, type WebhookCall, type WebhookOutcome } from './review';
export * from './validating';
