import type { CallOut } from '#libs/control-loop';
import { readReviewAnswer, type OutsideCall } from '#libs/kube-api';
import { convertByWebhook } from './call-converters';
import { WebhookClient, type ResolveService } from './client';

/** Calls admission webhooks over the network. */
export function webhookCaller(resolve: ResolveService): CallOut & { close(): void } {
  const client = new WebhookClient(resolve);
  const call: CallOut = async (asked: OutsideCall, uid, signal) => {
    if ('desiredAPIVersion' in asked) return convertByWebhook(client, asked, uid, signal);
    const { clientConfig, timeoutSeconds } = asked;
    const reply = await client.post({
      clientConfig,
      timeoutSeconds,
      body: JSON.stringify(asked.body(uid)),
      signal,
    });
    return 'error' in reply ? { error: `failed to call webhook: ${reply.error}` } : readReviewAnswer(asked, uid, reply);
  };
  return Object.assign(call, { close: () => client.close() });
}
