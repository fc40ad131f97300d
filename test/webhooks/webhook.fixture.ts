import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { createCertificates } from '#libs/app-shell/certificates';

export interface Review {
  kind: string;
  apiVersion: string;
  request: Record<string, never> & {
    uid: string;
    operation: string;
    subResource?: string;
    name?: string;
    namespace?: string;
    userInfo: { username: string };
    object: {
      metadata: { name?: string; labels?: Record<string, string>; managedFields?: unknown[] };
      data?: Record<string, string>;
    } | null;
    oldObject: { metadata: { name: string } } | null;
    options: Record<string, unknown> | null;
  };
}

export type Answering = (review: Review, response: ServerResponse, path: string) => void;

/** A webhook of a test, which answers as it is told to. */
export class TestWebhook {
  readonly reviews: Review[] = [];
  answering: Answering = (review, response) => allow(review, response);

  private constructor(
    private readonly server: Server,
    readonly caBundle: string,
    /** Its own certificate, as a bundle. */
    readonly ownBundle: string,
  ) {}

  static async start(): Promise<TestWebhook> {
    const { certificate, privateKey, ca } = await createCertificates({ hosts: ['127.0.0.1'], now: Date.now() });
    const server = createServer({ cert: certificate, key: privateKey });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const webhook = new TestWebhook(server, Buffer.from(ca).toString('base64'), Buffer.from(certificate).toString('base64'));
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        // Who follows a redirection may leave the question behind.
        const review = JSON.parse(Buffer.concat(chunks).toString() || '{"request":{}}') as Review;
        webhook.reviews.push(review);
        webhook.answering(review, response, request.url ?? '');
      });
    });
    return webhook;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  client(path = '/review'): object {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export function answer(response: ServerResponse, content: object | string, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(typeof content === 'string' ? content : JSON.stringify(content));
}

export function reviewOf({ request }: Review, response: object): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...response } };
}

export function allow(review: Review, response: ServerResponse, more: object = {}): void {
  answer(response, reviewOf(review, { allowed: true, ...more }));
}

/** A JSON patch as webhooks answer it. */
export function patch(operations: object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
