import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';

interface Connection {
  server: URL;
  ca?: Buffer;
  token?: string;
  cert?: Buffer;
  key?: Buffer;
}

export interface ApiAnswer {
  code: number;
  body: JsonObject;
}

type Entry = { name?: string } & Record<string, Record<string, string> | string | undefined>;

/** The API of the cluster that $KUBECONFIG is on. */
export class ApiClient {
  private readonly agent: Agent;

  private constructor(private readonly connection: Connection) {
    const { ca, cert, key } = connection;
    this.agent = new Agent({ keepAlive: true, ca, cert, key });
  }

  /** @throws CliError when there is no readable kubeconfig. */
  static fromKubeconfig(path = process.env.KUBECONFIG?.split(':')[0]): ApiClient {
    if (!path) throw new CliError('KUBECONFIG is not set', 'Paste the export line that kubereel up prints last.');
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw new CliError(`${path}: ${(error as Error).message}`, 'Paste the export line that kubereel up prints last.');
    }
    return new ApiClient(connectionOf(parse(text) as Record<string, unknown>, path));
  }

  /** URL of the server, without a slash at its end: paths are put behind it. */
  get server(): string {
    return this.connection.server.href.replace(/\/$/, '');
  }

  call(method: string, path: string, body?: Json, contentType = 'application/json'): Promise<ApiAnswer> {
    const { server, token } = this.connection;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'kubereel' };
    if (token) headers.authorization = `Bearer ${token}`;
    if (text !== undefined) {
      headers['content-type'] = contentType;
      // Node sends a DELETE's body without its length otherwise, and servers take it for none.
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    return new Promise((resolve, reject) => {
      const call = request({ agent: this.agent, host: server.hostname, port: server.port || 443, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: asJson(Buffer.concat(chunks).toString('utf8')) }));
        response.on('error', reject);
      });
      call.on('error', (error) =>
        reject(new CliError(`no answer from ${server.href}: ${error.message}`, 'Is the cluster running? Start it with: kubereel up')),
      );
      call.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function asJson(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return { message: text };
  }
}

function connectionOf(config: Record<string, unknown>, path: string): Connection {
  const list = (key: string): Entry[] => (Array.isArray(config[key]) ? (config[key] as Entry[]) : []);
  const named = (key: string, name: unknown): Entry | undefined => list(key).find((entry) => entry.name === name);
  const context = named('contexts', config['current-context'])?.context as Record<string, string> | undefined;
  const cluster = named('clusters', context?.cluster)?.cluster as Record<string, string> | undefined;
  const user = (named('users', context?.user)?.user ?? {}) as Record<string, string>;
  if (!cluster?.server)
    throw new CliError(`${path} has no current context with a server`, 'Choose one with: kubectl config use-context kubereel');
  const file = (data: string | undefined, name: string | undefined): Buffer | undefined =>
    data ? Buffer.from(data, 'base64') : name ? readFileSync(name) : undefined;
  return {
    server: new URL(cluster.server),
    ca: file(cluster['certificate-authority-data'], cluster['certificate-authority']),
    token: user.token,
    cert: file(user['client-certificate-data'], user['client-certificate']),
    key: file(user['client-key-data'], user['client-key']),
  };
}
