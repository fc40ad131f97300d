import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type AgentOptions } from 'node:https';
import type { Json } from '#libs/kernel';
import type { ExtenderCall, SchedulerConfiguration } from '#libs/scheduling';
import type { ExtenderSender } from './extender-calls';

type Extender = SchedulerConfiguration['extenders'][number];
type Reply = Awaited<ReturnType<ExtenderSender>>;

/** Bytes of an answer that are read at most: the whole nodes of a large cluster, and some. */
const bodyMaxBytes = 64 * 2 ** 20;
const connectionsMax = 16;

/** Asks extenders as kube-scheduler does: POST, JSON, one time limit for all of it, anything but 200 an error. */
export function httpSender(extenders: readonly Extender[]): ExtenderSender {
  const agents = extenders.map((extender) => ({
    http: new HttpAgent({ keepAlive: true, maxSockets: connectionsMax }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: connectionsMax, ...tlsOptions(extender) }),
  }));
  return (call) => {
    const agent = agents[call.extender];
    return agent ? post(call, agent) : Promise.resolve({ error: `no extender ${call.extender} is configured` });
  };
}

function post(call: ExtenderCall, agent: { http: HttpAgent; https: HttpsAgent }): Promise<Reply> {
  const payload = Buffer.from(JSON.stringify(call.body));
  const headers = { 'content-type': 'application/json', 'content-length': payload.length };
  return new Promise((resolve) => {
    const failed = (text: string): void => resolve({ error: `Post ${JSON.stringify(call.url)}: ${text}` });
    let url: URL;
    try {
      url = new URL(call.url);
    } catch {
      return failed('unsupported protocol scheme');
    }
    const isTls = url.protocol === 'https:';
    const sent = isTls
      ? httpsRequest(url, { method: 'POST', agent: agent.https, headers })
      : httpRequest(url, { method: 'POST', agent: agent.http, headers });
    const timer = setTimeout(
      () => sent.destroy(new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
      call.timeoutMs,
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      failed(
        error.code === 'ECONNREFUSED'
          ? `dial tcp ${url.hostname}:${url.port || (isTls ? 443 : 80)}: connect: connection refused`
          : error.message,
      );
    });
    sent.on('response', (response) => {
      void read(response, call).then((reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
    sent.end(payload);
  });
}

async function read(response: IncomingMessage, { url }: ExtenderCall): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bodyMaxBytes) {
        response.destroy();
        return { error: `the answer of the extender at URL ${url} is larger than ${bodyMaxBytes} bytes` };
      }
      chunks.push(chunk);
    }
    if (response.statusCode !== 200) {
      const verb = url.slice(url.lastIndexOf('/') + 1);
      return { error: `failed ${verb} with extender at URL ${url}, code ${response.statusCode}` };
    }
    return { body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** @throws Error naming a file that cannot be read: at start, not at the first question. */
function tlsOptions({ tls }: Extender): AgentOptions {
  if (!tls) return {};
  const pem = (part: { file?: string; data?: string } | undefined): Buffer | undefined => {
    if (part?.data !== undefined) return Buffer.from(part.data, 'base64');
    return part?.file === undefined ? undefined : readFileSync(part.file);
  };
  return {
    rejectUnauthorized: !tls.insecure,
    ca: pem(tls.ca),
    cert: pem(tls.cert),
    key: pem(tls.key),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  };
}
