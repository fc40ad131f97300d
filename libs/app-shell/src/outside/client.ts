import { isIP } from 'node:net';
import { posix } from 'node:path';
import type { WaitSignal } from '#libs/event-log';
import type { CallReply, ClientConfig } from '#libs/kube-api';
import { Deadline } from './deadline';
import { exchange, type Exchange } from './exchange';
import { KeptAgents } from './kept-agents';

/** Where a Service of the cluster is really served, or why it cannot be reached. */
export type ResolveService = (namespace: string, name: string, port: number) => { host: string; port: number } | { error: string };

export interface CallOptions {
  readonly clientConfig: ClientConfig;
  readonly body: string;
  readonly timeoutSeconds: number;
  readonly signal?: WaitSignal;
}

const connectionsMax = 25;
/** Places that are asked at most, one after the other, and how often one that is busy is asked again. */
const redirectionsMax = 10;
const retriesMax = 10;
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
  private readonly agents = new KeptAgents(agentsMax, { maxSockets: connectionsMax });

  constructor(private readonly resolve: ResolveService) {}

  /** Ends within the time that the call is given. Never rejects. */
  async post(options: CallOptions): Promise<CallResult> {
    const { clientConfig, timeoutSeconds } = options;
    const place = placeOf(clientConfig);
    if (typeof place === 'string') return { error: place };
    const path = `${place.path}?timeout=${timeoutSeconds}s`;
    const { service } = clientConfig;
    const to = service && this.resolve(service.namespace, service.name, service.port ?? servicePort);
    if (to && 'error' in to) return told({ ...place, path }, to.error);
    const deadline = new Deadline(timeoutSeconds * 1_000, options.signal);
    try {
      return await this.send({ ...place, path, to }, options, deadline);
    } finally {
      deadline.over();
    }
  }

  close(): void {
    this.agents.close();
  }

  /** As Go's client does it: redirections are followed, and who is busy is asked again when he says so. */
  private async send(place: Place, options: CallOptions, deadline: Deadline): Promise<CallResult> {
    const { caBundle } = options.clientConfig;
    const ca = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined;
    let to = place;
    let method: Exchange['method'] = 'POST';
    let asked = 0;
    let retries = 0;
    for (;;) {
      const { authority, path, host, port } = to;
      const at = to.to ?? { host, port };
      const agent = this.agents.of({ host, port, serverName: to.serverName, ca });
      const serverName = isIP(to.serverName) ? undefined : to.serverName;
      const body = method === 'POST' ? options.body : undefined;
      const reply = await exchange({ agent, method, ...at, serverName, path, authority, body, deadline });
      if ('failed' in reply) return told(to, reply.failed);
      if ('error' in reply) return reply;
      asked += 1;
      const { location, retryAfter, ...result } = reply;
      if (isRedirection(reply.status) && location) {
        if (asked >= redirectionsMax) return { error: `Post "${location}": stopped after ${redirectionsMax} redirects` };
        const next = redirected(place, to, location);
        if (typeof next === 'string') return told(to, next);
        if (reply.status < 307) method = 'GET';
        to = next;
      } else if (isBusy(reply.status) && retryAfter !== undefined && retries < retriesMax) {
        retries += 1;
        if (!(await deadline.wait(retryAfter * 1_000))) return told(to, deadline.why);
        to = place;
        method = 'POST';
        asked = 0;
      } else return result;
    }
  }
}

function told({ authority, path }: Pick<Place, 'authority' | 'path'>, why: string): { error: string } {
  return { error: `Post "https://${authority}${path}": ${why}` };
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
  const address = addressOf(called);
  return { ...address, path: cleanPath(called.pathname), serverName: address.host };
}

function addressOf({ host: authority, hostname, port }: URL): Pick<Place, 'authority' | 'host' | 'port'> {
  return { authority, host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? servicePort : Number(port) };
}

const isRedirection = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);
const isBusy = (status: number): boolean => status === 429 || (status >= 500 && status < 600);

/** Where a redirection leads; a Service is found only under its own name. */
function redirected(first: Place, from: Place, location: string): Place | string {
  const base = `https://${from.authority}${from.path}`;
  if (!URL.canParse(location, base))
    return `failed to parse Location header ${JSON.stringify(location)}: parse ${JSON.stringify(location)}: invalid URL`;
  const called = new URL(location, base);
  if (called.protocol !== 'https:') return `unsupported protocol scheme "${called.protocol.slice(0, -1)}"`;
  const address = addressOf(called);
  const isOwn = address.host === first.host && address.port === first.port;
  const path = `${called.pathname}${called.search}`;
  return { ...address, path, serverName: first.to ? first.serverName : address.host, to: isOwn ? first.to : undefined };
}
