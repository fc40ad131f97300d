import { Agent, type AgentOptions } from 'node:https';

/** A server, and what makes it the right one. */
export interface Trusted {
  readonly host: string;
  readonly port: number;
  /** Whose certificate is expected. */
  readonly serverName: string;
  /** PEM of the CAs that are trusted; absent: those that the machine trusts. */
  readonly ca?: string;
  /** Any certificate will do. */
  readonly insecure?: boolean;
}

/** Connections kept for the next request. Those to a server that is trusted for one reason are no other's. */
export class KeptAgents {
  private readonly agents = new Map<string, Agent>();

  /**
   * @param max servers whose connections are kept
   * @param options of all agents
   */
  constructor(
    private readonly max: number,
    private readonly options: AgentOptions,
  ) {}

  /** The agent for a server. Of the one that was used longest ago connections are kept no more; what is under way there goes on. */
  of({ host, port, serverName, ca, insecure = false }: Trusted): Agent {
    const key = JSON.stringify([host, port, serverName, ca, insecure]);
    const agent = this.agents.get(key) ?? this.made(ca, insecure);
    this.agents.delete(key);
    this.agents.set(key, agent);
    const [oldest] = this.agents.keys();
    if (this.agents.size > this.max && oldest !== undefined) {
      forget(this.agents.get(oldest) as Agent);
      this.agents.delete(oldest);
    }
    return agent;
  }

  /** Ends all connections. */
  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private made(ca: string | undefined, insecure: boolean): Agent {
    return new Agent({
      ...this.options,
      keepAlive: true,
      // Go takes a certificate for trusted that is itself in the bundle, whoever has signed it.
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
      ...(insecure ? { rejectUnauthorized: false } : {}),
    });
  }
}

function forget(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
