import { request, type RequestOptions } from 'node:https';
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { KeptAgents, type Trusted } from './kept-agents';

/** A server that answers for the API server, and how it is known for the right one. */
export interface Backend extends Trusted {
  /** `HOST:PORT` that it is called by. */
  readonly authority: string;
  readonly insecure: boolean;
}

export interface BackendRequest {
  readonly method: string;
  /** With its query, escaped. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** PEM: what the API server shows to those that answer for it. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Connections of one backend: each open watch has its own. */
const connectionsMax = 4_096;
/** Connections of one backend that are kept for the next request. */
const keptMax = 25;
/** Backends whose connections are kept. */
const agentsMax = 64;

/** Requests over TLS to servers that answer for the API server. */
export class BackendConnections {
  private readonly agents: KeptAgents;

  constructor(identity: ClientIdentity | undefined) {
    this.agents = new KeptAgents(agentsMax, {
      maxSockets: connectionsMax,
      maxFreeSockets: keptMax,
      ...(identity ? { cert: identity.certificate, key: identity.privateKey } : {}),
    });
  }

  /** Begins a request: its body, what comes back, and errors are the caller's affair. */
  request(backend: Backend, { method, path, headers }: BackendRequest): ClientRequest {
    const { host, port, serverName, authority } = backend;
    const options: RequestOptions = {
      agent: this.agents.of(backend),
      method,
      host,
      port,
      ...(isIP(serverName) ? {} : { servername: serverName }),
      path,
      headers: { Host: authority, ...headers },
    };
    return request(options);
  }

  close(): void {
    this.agents.close();
  }
}
