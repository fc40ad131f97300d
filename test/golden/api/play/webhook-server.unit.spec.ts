import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bindings } from '../compare/bindings';
import type { CompareContext } from '../compare/context';
import type { HttpStep, Recording } from '../recording';
import { WebhookServer } from './webhook-server';

const header = { session: 's', title: '', area: 'webhooks', server: 'v1.34.4', runs: 'apiserver' };
const review = (uid: string, data: unknown) => ({ kind: 'AdmissionReview', request: { uid, object: { data } } });

const call = (step: number, data: unknown, allowed: boolean): HttpStep => ({
  step,
  note: 'CALL: request from the server to the webhook',
  request: {
    method: 'POST',
    path: '/validate',
    query: 'timeout=10s',
    headers: { 'User-Agent': 'kube-apiserver-admission', 'Content-Type': 'application/json' },
    body: review(`<uid:${step}>`, data),
  },
  response: { status: 200, body: { response: { uid: `<uid:${step}>`, allowed } } },
});

const uid = '00000000-0000-0000-0000-000000000001';
const recording: Recording = { header, steps: [call(2, { a: 1 }, true), call(3, { a: 2 }, false)], samples: [], dir: '' };
const contextOf = (): CompareContext => ({ bindings: new Bindings(), startedAt: 0, now: () => 0, header, differences: [] });

describe('the webhook of a recording', () => {
  let server: WebhookServer;
  beforeAll(async () => {
    server = (await WebhookServer.forRecording(recording)) as WebhookServer;
  });
  afterAll(() => server.close());

  const send = (body: unknown, userAgent = 'kube-apiserver-admission'): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const ca = Buffer.from(server.given.get('<ca>') ?? '', 'base64').toString();
      const options = {
        ca,
        method: 'POST',
        headers: { 'User-Agent': userAgent, 'Content-Type': 'application/json' },
        agent: false as const,
      };
      const outgoing = request(`https://127.0.0.1:${server.given.get('<port>')}/validate?timeout=10s`, options, (message) => {
        let text = '';
        message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        message.on('end', () => resolve(JSON.parse(text)));
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(body));
    });

  it('answers as recorded, with the uid of the request', async () => {
    server.expect([call(2, { a: 1 }, true)]);
    expect(await send(review(uid, { a: 1 }))).toEqual({ response: { uid, allowed: true } });
    const context = contextOf();
    server.compareCount(context);
    server.compareCall(context, call(2, { a: 1 }, true));
    expect(context.differences).toEqual([]);
  });

  it('answers a call that was not recorded like the most similar one', async () => {
    server.expect([]);
    expect(await send(review(uid, { a: 2 }))).toEqual({ response: { uid, allowed: false } });
    const context = contextOf();
    server.compareCount(context);
    expect(context.differences.map(({ path }) => path)).toEqual(['calls']);
  });

  it('tells what is different in a call, and a call that did not come', async () => {
    server.expect([call(2, { a: 1 }, true)]);
    await send(review(uid, { a: 9 }), 'other');
    const context = contextOf();
    server.compareCall(context, call(2, { a: 1 }, true));
    expect(context.differences.map(({ path }) => path)).toEqual(['call.headers.user-agent', 'call.body.request.object.data.a']);
    const second = contextOf();
    server.compareCall(second, call(3, { a: 2 }, false));
    expect(second.differences[0]?.text).toContain('missing');
  });

  it('does not run for a session without calls', async () => {
    expect(await WebhookServer.forRecording({ ...recording, steps: [] })).toBeUndefined();
  });
});
