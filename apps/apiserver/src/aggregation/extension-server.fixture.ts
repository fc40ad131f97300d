import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createCertificates } from '#libs/app-shell/certificates';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Common name of the client's certificate, if a CA that is trusted has signed it. */
  peer: string | undefined;
}

export const metricsGroup = 'metrics.k8s.io';
export const metricsRoot = `/apis/${metricsGroup}/v1beta1`;
/** Of its APIService. */
export const metricsService = `v1beta1.${metricsGroup}`;

const resource = (name: string, kind: string, namespaced: boolean) => ({
  name,
  singularName: '',
  namespaced,
  kind,
  verbs: ['get', 'list'],
});
const documents: Readonly<Record<string, object>> = {
  [metricsRoot]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${metricsGroup}/v1beta1`,
    resources: [resource('nodes', 'NodeMetrics', false), resource('pods', 'PodMetrics', true)],
  },
};
const usage = { cpu: '250m', memory: '512Mi' };
const timestamp = '2026-01-01T00:00:00Z';
const window = '15s';

type Answering = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A metrics server of a few lines: an extension API server as one would write it oneself. */
export class ExtensionServer {
  readonly received: Received[] = [];
  /** Answers first; false: the usual answer. */
  answering: Answering = () => false;

  private constructor(
    private readonly server: Server,
    /** PEM of the CA that signed its certificate. */
    readonly ca: string,
  ) {}

  /** @param clientCa PEM of the CA whose clients it takes for front proxies */
  static async start(clientCa: string, hosts = ['metrics.kube-system.svc']): Promise<ExtensionServer> {
    const { ca, certificate, privateKey } = await createCertificates({ hosts, now: Date.now() });
    const server = createServer({ cert: certificate, key: privateKey, ca: clientCa, requestCert: true, rejectUnauthorized: false });
    const made = new ExtensionServer(server, ca);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void made.take(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => made.upgrade(request, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** `HOST:PORT`. */
  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A Service that is really served here. */
  get service(): object {
    return { metadata: { name: 'metrics', annotations: { 'kubereel.dev/served-at': this.address } }, spec: { ports: [{ port: 443 }] } };
  }

  /** The APIService that has the group answered here. @param more of its spec, in place of what is usual */
  registration(more: object = {}): object {
    return {
      metadata: { name: metricsService },
      spec: {
        group: metricsGroup,
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: 'kube-system', name: 'metrics' },
        caBundle: Buffer.from(this.ca).toString('base64'),
        ...more,
      },
    };
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  last(path: string): Received | undefined {
    return this.received.findLast(({ url }) => url.split('?')[0] === path);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.note(request, body);
    if (this.answering(request, response)) return;
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (query.includes('watch=')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ type: 'ADDED', object: nodeMetrics('node-1') })}\n`);
      return;
    }
    const found = documents[path] ?? metricsAt(path);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json', 'x-from': 'extension' });
    response.end(JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
  }

  private note(request: IncomingMessage, body: string): void {
    const { method = '', url = '', headers } = request;
    const socket = request.socket as TLSSocket;
    const peer = socket.authorized ? (socket.getPeerCertificate().subject.CN as string) : undefined;
    this.received.push({ method, url, headers, body, peer });
  }

  /** Says back what it is told. */
  private upgrade(request: IncomingMessage, socket: Duplex): void {
    this.note(request, '');
    socket.on('error', () => socket.destroy());
    if (request.url?.includes('refuse')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Own: yes\r\n\r\nhello `,
    );
    socket.pipe(socket);
  }
}

function nodeMetrics(name: string): object {
  return { kind: 'NodeMetrics', apiVersion: `${metricsGroup}/v1beta1`, metadata: { name }, timestamp, window, usage };
}

function podMetrics(namespace: string, name: string): object {
  const containers = [{ name: 'main', usage }];
  return { kind: 'PodMetrics', apiVersion: `${metricsGroup}/v1beta1`, metadata: { name, namespace }, timestamp, window, containers };
}

function metricsAt(path: string): object | undefined {
  const [, namespace = 'default'] = /\/namespaces\/([^/]+)/.exec(path) ?? [];
  const list = (kind: string, items: object[]) => ({ kind, apiVersion: `${metricsGroup}/v1beta1`, metadata: {}, items });
  if (path === `${metricsRoot}/nodes`) return list('NodeMetricsList', [nodeMetrics('node-1')]);
  if (path.startsWith(`${metricsRoot}/nodes/`)) return nodeMetrics(path.slice(metricsRoot.length + 7));
  return path.startsWith(metricsRoot) && path.endsWith('/pods') ? list('PodMetricsList', [podMetrics(namespace, 'web')]) : undefined;
}
