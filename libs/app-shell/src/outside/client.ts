import { Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { posix } from 'node:path';
import type { WaitSignal } from '#libs/event-log';
import type { CallReply, ClientConfig } from '#libs/kube-api';
import { goNetworkError } from './go-errors';

/** Where a Service of the cluster is really served, or why it cannot be reached. */
export type ResolveService = (namespace: string, name: string, port: number) => { host: string; port: number } | { error: string };

export interface CallOptions {
  readonly clientConfig: ClientConfig;
  readonly body: string;
  readonly timeoutSeconds: number;
  /** Whether the query says how long is waited. */
  readonly tellsTimeout: boolean;
  readonly userAgent: string;
  readonly signal?: WaitSignal;
}

/** Bytes of an answer that are read at most. */
const bodyMax = 16 * 2 ** 20;
const connectionsMax = 25;
/** Configurations whose connections are kept. */
const agentsMax = 32;
const servicePort = 443;

/** What came back, or why nothing did, in the words of Go's client. */
export type CallResult = CallReply | { readonly error: string };

interface Place {
  /** `HOST[:PORT]`, as the URL has it. */
  readonly authority: string;
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** Where the connection really goes. */
  readonly to?: { host: string; port: number };
}

/** POSTs JSON over TLS to what a `clientConfig` names, as the API server calls webhooks: admission and conversion alike. */
export class WebhookClient {
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly resolve: ResolveService) {}

  /** Ends within the time that the call is given. Never rejects. */
  async post(options: CallOptions): Promise<CallResult> {
    const { clientConfig, timeoutSeconds, tellsTimeout } = options;
    const place = placeOf(clientConfig);
    if (typeof place === 'string') return { error: place };
    const path = `${place.path}${tellsTimeout ? `?timeout=${timeoutSeconds}s` : ''}`;
    const told = (why: string): { error: string } => ({ error: `Post "https://${place.authority}${path}": ${why}` });
    const { service } = clientConfig;
    const to = service && this.resolve(service.namespace, service.name, service.port ?? servicePort);
    if (to && 'error' in to) return told(to.error);
    return this.send({ ...place, path, to }, options, told);
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private send(place: Place, options: CallOptions, told: (why: string) => { error: string }): Promise<CallResult> {
    const { authority, path, to, host, port } = place;
    const { body, timeoutSeconds, userAgent, signal } = options;
    return new Promise((done) => {
      let isAnswering = false;
      const end = (result: CallResult): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        done(result);
      };
      const request = httpsRequest(
        {
          agent: this.agentFor(place, options.clientConfig.caBundle),
          method: 'POST',
          host: to?.host ?? host,
          port: to?.port ?? port,
          ...(isIP(place.serverName) ? {} : { servername: place.serverName }),
          path,
          headers: {
            Host: authority,
            'User-Agent': userAgent,
            'Content-Length': Buffer.byteLength(body),
            Accept: 'application/json, */*',
            'Content-Type': 'application/json',
          },
        },
        (response) => {
          isAnswering = true;
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size > bodyMax) request.destroy(new Error(`the answer is larger than ${bodyMax} bytes`));
          });
          response.on('end', () =>
            end({
              status: response.statusCode ?? 0,
              body: Buffer.concat(chunks).toString('utf8'),
              ...(response.headers['content-type'] === undefined ? {} : { contentType: response.headers['content-type'] }),
            }),
          );
          response.on('error', () =>
            end({ error: 'unexpected error when reading response body. Please retry. Original error: unexpected EOF' }),
          );
        },
      );
      const giveUp = (why: string): void => {
        end(isAnswering ? { error: `unexpected error when reading response body. Please retry. Original error: ${why}` } : told(why));
        request.destroy();
      };
      const timer = setTimeout(() => giveUp('context deadline exceeded'), timeoutSeconds * 1_000);
      const aborted = (): void => giveUp('context canceled');
      signal?.addEventListener('abort', aborted, { once: true });
      request.on('error', (error) => end(told(goNetworkError(error, to?.host ?? host, to?.port ?? port, isAnswering))));
      request.end(body);
    });
  }

  /** Connections of one configuration are kept: the certificates it trusts are no other's. */
  private agentFor({ host, port, serverName }: Place, caBundle: string | undefined): Agent {
    const key = JSON.stringify([host, port, serverName, caBundle]);
    let agent = this.agents.get(key);
    if (!agent) {
      // Go takes a certificate for trusted that is itself in the bundle, whoever has signed it.
      const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString('utf8'), allowPartialTrustChain: true } : {};
      agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, ...ca });
    } else this.agents.delete(key);
    this.agents.set(key, agent);
    const [oldest] = this.agents.keys();
    if (this.agents.size > agentsMax && oldest !== undefined) {
      this.agents.get(oldest)?.destroy();
      this.agents.delete(oldest);
    }
    return agent;
  }
}

/** As Go's client of an API server has it: `//a/` is called as `/a`. */
function cleanPath(path: string): string {
  const joined = posix.join('/', path);
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined;
}

/** The URL that is called, and whose certificate is expected there; or what is wrong with the configuration. */
function placeOf({ url, service }: ClientConfig): Place | string {
  if (service) {
    const host = `${service.name}.${service.namespace}.svc`;
    const port = service.port ?? servicePort;
    const { path = '' } = service;
    return { authority: `${host}:${port}`, path: cleanPath(path), host, port, serverName: host };
  }
  if (!url) return 'webhook configuration must have either service or URL';
  if (!URL.canParse(url)) return `Unparsable URL: parse ${JSON.stringify(url)}: invalid URL`;
  const called = new URL(url);
  const host = called.hostname.replace(/^\[|\]$/g, '');
  const port = called.port === '' ? servicePort : Number(called.port);
  return { authority: called.host, path: cleanPath(called.pathname), host, port, serverName: host };
}
