// The admission webhooks of a recorded session: answers our server's calls as the recorded webhook did, and keeps the calls so
// that the session's CALL steps can be compared with them.
import { webcrypto } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { compareValue } from '../compare/values';
import { parse } from '../compare/response';
import type { CompareContext } from '../compare/context';
import { report } from '../compare/context';
import { describe, mismatch, show } from '../compare/match';
import { templateOf } from '../compare/placeholders';
import type { HttpStep, Recording } from '../recording';
import { isCall } from '../recording';

interface Call {
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

const comparedHeaders = ['User-Agent', 'Accept', 'Content-Type'];
const day = 86_400_000;

interface Certificates {
  ca: string;
  key: string;
  certificate: string;
}

/** Loaded late: only sessions with webhooks need it. */
async function makeCertificates(): Promise<Certificates> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keysOf = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
  const [caKeys, keys] = [await keysOf(), await keysOf()];
  const dates = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=golden-webhooks',
    keys: caKeys,
    signingAlgorithm: algorithm,
    ...dates,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    subject: 'CN=127.0.0.1',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    ...dates,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  return { ca: ca.toString('pem'), key, certificate: leaf.toString('pem') };
}

export class WebhookServer {
  /** What requests of the session name as `<port>` and `<ca>`. */
  readonly given: ReadonlyMap<string, string>;
  private readonly https: HttpsServer;
  private readonly steps: readonly HttpStep[];
  private expected: HttpStep[] = [];
  private received: Call[] = [];
  private consumed = 0;
  private compared = 0;

  private constructor(https: HttpsServer, ca: string, recording: Recording) {
    this.https = https;
    this.steps = recording.steps.filter(isCall);
    const { port } = https.address() as AddressInfo;
    this.given = new Map([
      ['<port>', String(port)],
      ['<ca>', Buffer.from(ca).toString('base64')],
    ]);
  }

  /** For a session without CALL steps: undefined. */
  static async forRecording(recording: Recording): Promise<WebhookServer | undefined> {
    if (!recording.steps.some(isCall)) return undefined;
    const { ca, key, certificate } = await makeCertificates();
    const https = createServer({ key, cert: certificate });
    await new Promise<void>((done) => https.listen(0, '127.0.0.1', done));
    const server = new WebhookServer(https, ca, recording);
    https.on('request', (request: IncomingMessage, response: ServerResponse) => void server.answer(request, response));
    return server;
  }

  close(): void {
    this.https.closeAllConnections();
    this.https.close();
  }

  /** Before a step: the calls recorded as following it. After the last recorded call the webhook is gone, as it was then. */
  expect(calls: HttpStep[]): void {
    this.expected = calls;
    this.received = [];
    this.consumed = 0;
    if (this.compared === this.steps.length) this.close();
  }

  /** After a step: calls beyond the recorded ones. */
  compareCount(context: CompareContext): void {
    for (const call of this.received.slice(this.expected.length)) {
      report(context, 'calls', `unexpected call to ${call.path}: ${show(call.body)}`);
    }
  }

  compareCall(context: CompareContext, step: HttpStep): void {
    this.compared += 1;
    const call = this.received[this.consumed];
    this.consumed += 1;
    if (call === undefined) return report(context, 'call', `missing, expected one to ${step.request.path}`);
    if (call.path !== step.request.path) report(context, 'call.path', describe(step.request.path, call.path));
    if (call.method !== step.request.method) report(context, 'call.method', describe(step.request.method, call.method));
    if (call.query !== (step.request.query ?? '')) report(context, 'call.query', describe(step.request.query ?? '', call.query));
    for (const name of comparedHeaders) {
      const wanted = step.request.headers?.[name];
      if (typeof wanted !== 'string') continue;
      const reason = mismatch(context, wanted, String(call.headers[name.toLowerCase()] ?? ''));
      if (reason !== undefined) report(context, `call.headers.${name.toLowerCase()}`, reason);
    }
    compareValue(context, step.request.body, call.body, 'call.body');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'https://127.0.0.1');
    const body = parse(Buffer.concat(chunks).toString('utf8'));
    const call: Call = { method: request.method ?? '', path: url.pathname, query: url.search.slice(1), headers: request.headers, body };
    const step = this.stepFor(call);
    this.received.push(call);
    if (step === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { status, text } = step.response;
    const answer = text ?? JSON.stringify(step.response.body).replaceAll(recordedUid(step), uidOf(body));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
  }

  /** The recorded call this one stands for; one that was not recorded is answered as the most similar one was. */
  private stepFor(call: Call): HttpStep | undefined {
    const due = this.expected[this.received.length];
    if (due?.request.path === call.path) return due;
    const samePath = this.steps.filter((step) => step.request.path === call.path);
    return samePath.find((step) => dataOf(step.request.body) === dataOf(call.body)) ?? samePath[0];
  }
}

type Review = { request?: { uid?: unknown; object?: { data?: unknown } | null } } | undefined;
const dataOf = (body: unknown): string => JSON.stringify((body as Review)?.request?.object?.data ?? null);
const uidOf = (body: unknown): string => String((body as Review)?.request?.uid ?? '');
const recordedUid = (step: HttpStep): string => templateOf(uidOf(step.request.body)).placeholders[0]?.text ?? '<no uid>';
