import 'reflect-metadata';
import { Agent, request as httpsRequest } from 'node:https';
import { ServerAddress, startProcess, type ControlPlaneProcess, type AuditOptions } from '#libs/app-shell';
import { LiveClock, type Clock } from '#libs/control-loop';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { parseStream } from '#libs/events';
import { ApiserverModule } from '#apps/apiserver';
import { createCertificates } from '#libs/app-shell/certificates';
import { PriorityAdmissionModule } from '#apps/priority-admission';

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface Received {
  status: number;
  body: string;
  /** Texts of the Warning headers, where there are any. */
  warnings?: string[];
  headers: Readonly<Record<string, string[] | undefined>>;
}

/** `299 - "text"`, quotes escaped; several of them may share one line. */
function warningsIn(lines: readonly string[] | undefined): Pick<Received, 'warnings'> {
  const texts = (lines ?? []).flatMap((line) =>
    [...line.matchAll(/299 [^ ]+ ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text as string) as string),
  );
  return texts.length > 0 ? { warnings: texts } : {};
}

/** An apiserver with its priority reviewer over a log, spoken to over TLS. */
export class ApiUnderTest {
  private readonly agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  private constructor(
    readonly control: ControlPlaneProcess,
    readonly log: EventLog,
    readonly port: number,
    readonly token: string,
  ) {}

  /** @param log a memory log when absent; it is closed with the server */
  static async start(
    log: EventLog = createMemoryLog(),
    { keepsRequests = false, clock = new LiveClock(), audit }: { keepsRequests?: boolean; clock?: Clock; audit?: AuditOptions } = {},
  ): Promise<ApiUnderTest> {
    const certificates = await createCertificates({ hosts: ['127.0.0.1'], now: Date.now() });
    const token = 'a-token-of-the-test';
    const control = await startProcess({
      log,
      clock,
      options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token, keepsRequests, audit, ...certificates } },
      modules: [ApiserverModule, PriorityAdmissionModule],
      name: 'test',
    });
    return new ApiUnderTest(control, log, control.app.get(ServerAddress, { strict: false }).port as number, token);
  }

  send({ method, path, headers = {}, body }: Sent): Promise<Received> {
    return new Promise((resolve, reject) => {
      const all: Record<string, string | number> = { authorization: `Bearer ${this.token}`, ...headers };
      if (body !== undefined) all['content-length'] = Buffer.byteLength(body);
      const request = httpsRequest({ host: '127.0.0.1', port: this.port, method, path, headers: all, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            headers: response.headersDistinct,
            ...warningsIn(response.headersDistinct['warning']),
          }),
        );
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** `<type> on <stream>` of every event so far that changes an object. */
  async objectEvents(): Promise<string[]> {
    const found: string[] = [];
    for await (const page of this.log.readAll({ from: 'start' })) {
      for (const { stream, type } of page) if (parseStream('local', stream)?.kind === 'object') found.push(`${type} on ${stream}`);
    }
    return found;
  }

  /** Breaks off whatever is under way. */
  hangUp(): void {
    this.agent.destroy();
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.control.close();
  }
}
