import { createServer, type Server } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCertificates } from '../certificates';
import { WebhookClient, type CallResult } from './client';

const client = new WebhookClient(() => ({ error: 'there are no services' }));
let server: Server;
let ca: string;
let held: ServerResponse | undefined;

beforeAll(async () => {
  const made = await createCertificates({ hosts: ['localhost'], now: Date.now() });
  ({ ca } = made);
  server = createServer({ cert: made.certificate, key: made.privateKey }, (request, response) => {
    if (request.url?.startsWith('/held')) held = response;
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
});
afterAll(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

function call(path: string, bundle: string): Promise<CallResult> {
  const url = `https://localhost:${(server.address() as AddressInfo).port}${path}`;
  const clientConfig = { url, caBundle: Buffer.from(bundle).toString('base64') };
  return client.post({ clientConfig, body: '{}', timeoutSeconds: 30 });
}

const connections = (): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

it('a call that is under way goes on, however many others are called; connections of the last ones alone are kept', async () => {
  const first = call('/held', ca);
  await expect.poll(() => held).toBeDefined();
  // Whoever trusts something else has connections of his own.
  for (let other = 1; other <= 40; other++) expect(await call('/', ca + '\n'.repeat(other))).toMatchObject({ status: 200 });
  await expect.poll(connections).toBe(33);
  held?.end('{}');
  expect(await first).toMatchObject({ status: 200, body: '{}' });
  await expect.poll(connections).toBe(32);
});
