import { conversionBody, conversionFailed, readConversion, type ConversionCall, type Converted } from '#libs/kube-api';
import type { JsonObject } from '#libs/kernel';
import type { WaitSignal } from '#libs/event-log';
import type { WebhookClient } from './client';

/** As long as the API server waits for a conversion. */
const timeoutSeconds = 30;

/** Has objects converted by the webhook of their definition. Never rejects. @param uid what the answer has to repeat */
export async function convertByWebhook(client: WebhookClient, call: ConversionCall, uid: string, signal?: WaitSignal): Promise<Converted> {
  const body = conversionBody(call, uid);
  if ('error' in body) return { error: body.error as string };
  const reply = await client.post({
    clientConfig: call.clientConfig,
    timeoutSeconds,
    body: JSON.stringify(body satisfies JsonObject),
    signal,
  });
  return 'error' in reply ? conversionFailed(call, reply.error) : readConversion(call, uid, reply);
}
