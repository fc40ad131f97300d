import { Agent, request, type RequestOptions } from 'node:https';
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** A server that answers for the API server, and how it is known for the right one. */
export interface Backend {
  readonly host: string;
  readonly port: number;
  /** Whose certificate is expected. */
  readonly serverName: string;
  /** `HOST:PORT` that it is called by. */
  readonly authority: string;
  /** PEM of the CAs that are trusted; absent: those that the machine trusts. */
  readonly ca?: string;
  /** Any certificate will do. */
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
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly identity: ClientIdentity | undefined) {}

  /** Begins a request: its body, what comes back, and errors are the caller's affair. */
  request(backend: Backend, { method, path, headers }: BackendRequest): ClientRequest {
    const { host, port, serverName, authority } = backend;
    const options: RequestOptions = {
      agent: this.agentFor(backend),
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
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  /** Connections to one that is trusted for one reason are no other's. */
  private agentFor({ host, port, serverName, ca, insecure }: Backend): Agent {
    const key = JSON.stringify([host, port, serverName, ca, insecure]);
    const known = this.agents.get(key);
    const agent = known ?? this.newAgent(ca, insecure);
    this.agents.delete(key);
    this.agents.set(key, agent);
    const [oldest] = this.agents.keys();
    if (this.agents.size > agentsMax && oldest !== undefined) {
      // What is under way there goes on; what is kept is not used again.
      this.agents.delete(oldest);
    }
    return agent;
  }

  private newAgent(ca: string | undefined, insecure: boolean): Agent {
    const { certificate, privateKey } = this.identity ?? {};
    return new Agent({
      keepAlive: true,
      maxSockets: connectionsMax,
      maxFreeSockets: keptMax,
      ...(this.identity ? { cert: certificate, key: privateKey } : {}),
      // Go takes a certificate for trusted that is itself in the bundle, whoever has signed it.
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
      ...(insecure ? { rejectUnauthorized: false } : {}),
    });
  }
}
