// Requests that nobody would send, and many that somebody would: the server answers each of them, and keeps what it has acknowledged.
import { request as httpsRequest } from 'node:https';
import { kubereel } from '../e2e/running-cluster';
import type { FuzzAnswer } from './answer';
import { Ledger } from './ledger';
import { checkLog } from './log-check';
import { MeasuredServer } from './measured-server';
import { problemOf } from './oracle';
import { Pipeline, type Place } from './pipeline';
import { namespaces, requestOf, type FuzzRequest } from './requests';
import { Http2Line, sendAlone, sendOverWebSocket } from './strangers';
import { targets } from './targets';
import { serialized } from './wire';

export interface FuzzOptions {
  seed: number;
  requests: number;
  /** Number of the first. */
  from: number;
  /** All controllers run too. */
  controllers: boolean;
  /** No more is sent after so many minutes. */
  minutes?: number;
  told?: (progress: FuzzProgress) => void;
}

export interface FuzzProgress {
  requests: number;
  statuses: ReadonlyMap<number, number>;
  /** Connections that ended without an answer. */
  lost: number;
  rssMb: number;
}

export interface FuzzReport extends FuzzProgress {
  problems: string[];
  seconds: number;
  /** Of the server after a collection of garbage, MB, after each tenth of the requests; at the end once everything has been listed. */
  heapMb: { tenths: number[]; last: number };
  rss: { first: number; last: number };
  events: number;
  writers: number;
  verified: string;
  folder: string;
}

/** Connections over HTTP/1.1. */
const lines = 8;
/** Requests that are behind one another on a connection. */
const behind = 16;
/** Requests with a connection of their own that are under way together. */
const aloneMax = 24;
const shownMax = 20;
const verifyMsMax = 3_600_000;
/** Memory is measured so many times on the way: by the first time everything has been used. */
const looksAtMemory = 10;

class Fuzz {
  private readonly statuses = new Map<number, number>();
  private readonly problems: string[] = [];
  private readonly ledger: Ledger;
  private readonly pipelines: Pipeline[];
  private readonly http2: Http2Line;
  private readonly alone = new Set<Promise<void>>();
  private requests = 0;
  private lost = 0;

  constructor(
    private readonly server: MeasuredServer,
    private readonly place: Place,
    private readonly options: FuzzOptions,
  ) {
    this.ledger = new Ledger(options.from, options.requests);
    const answered = (request: FuzzRequest, answer: FuzzAnswer | undefined, problem?: string): void =>
      this.answered(request, answer, problem);
    this.pipelines = Array.from({ length: lines }, () => new Pipeline(place, answered));
    this.http2 = new Http2Line(place, answered);
  }

  async play(): Promise<FuzzReport> {
    const { options, server } = this;
    await prepare(this.place);
    const began = Date.now();
    const tenths: number[] = [];
    let firstRssMb = 0;
    const until = began + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    for (let at = 0; at < options.requests && Date.now() < until; at += lines * behind) {
      if (at * looksAtMemory >= (tenths.length + 1) * options.requests) {
        tenths.push(await server.heapMb());
        firstRssMb ||= server.rssMb;
      }
      await this.chunk(options.from + at, Math.min(lines * behind, options.requests - at));
      options.told?.(this.progress);
      if (server.hasEnded) throw new Error(`the server has ended: ${server.output}`);
    }
    await Promise.all(this.alone);
    const seconds = (Date.now() - began) / 1000;
    await this.listEverything();
    const heapMb = { tenths, last: await server.heapMb() };
    const rss = { first: firstRssMb, last: server.rssMb };
    return { ...this.progress, ...(await this.afterwards()), problems: this.problems, seconds, heapMb, rss };
  }

  private get progress(): FuzzProgress {
    const { requests, statuses, lost, server } = this;
    return { requests, statuses, lost, rssMb: server.hasEnded ? 0 : server.rssMb };
  }

  private async chunk(from: number, count: number): Promise<void> {
    const byLine: FuzzRequest[][] = Array.from({ length: lines }, () => []);
    const streams: Promise<void>[] = [];
    for (let index = from; index < from + count; index++) {
      const request = requestOf(this.options.seed, index, lines);
      if (request.lane === 'pipeline') byLine[index % lines]?.push(request);
      else if (request.lane === 'http2') streams.push(this.onSession(request));
      else await this.byItself(request);
    }
    await Promise.all([...byLine.map((requests, line) => (this.pipelines[line] as Pipeline).send(requests)), ...streams]);
  }

  /** In no order with what its line sends: nobody knows what becomes of its object. */
  private onSession(request: FuzzRequest): Promise<void> {
    return this.http2.send(request);
  }

  private async byItself(request: FuzzRequest): Promise<void> {
    const answered = (of: FuzzRequest, answer: FuzzAnswer | undefined, problem?: string): void => this.answered(of, answer, problem);
    while (this.alone.size >= aloneMax) await Promise.race(this.alone);
    const sent = request.lane === 'socket' ? sendOverWebSocket(this.place, request, answered) : sendAlone(this.place, request, answered);
    const kept: Promise<void> = sent.finally(() => this.alone.delete(kept));
    this.alone.add(kept);
  }

  private answered(request: FuzzRequest, answer: FuzzAnswer | undefined, problem?: string): void {
    this.requests++;
    if (!answer) this.lost++;
    else this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const found = problem ?? (answer && problemOf(request, answer));
    this.ledger.note(request, answer);
    if (found !== undefined && this.problems.length < shownMax) this.problems.push(`${request.index}: ${found}\n    ${shown(request)}`);
  }

  /** The line that a request went to, which alone knows the object; undefined where nobody does. */
  private lineOf(index: number): number | undefined {
    const { lane, effect } = requestOf(this.options.seed, index, lines);
    return lane === 'pipeline' && effect !== 'many' ? index % lines : undefined;
  }

  /** Whatever was stored can be read, in every form. */
  private async listEverything(): Promise<void> {
    for (const { kind, root } of targets()) {
      if (!kind.verbs.includes('list')) continue;
      for (const accept of [
        'application/json',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/vnd.kubernetes.protobuf',
        'application/yaml',
      ]) {
        const { status, text } = await ask(this.place, 'GET', `${root}/${kind.resource}`, undefined, { accept });
        if (status !== 200)
          this.problems.push(`the list of ${kind.groupResource} as ${accept} is answered ${status}: ${text.slice(0, 300)}`);
      }
    }
  }

  private async afterwards(): Promise<Pick<FuzzReport, 'events' | 'writers' | 'verified' | 'folder'>> {
    const { server, options } = this;
    for (const pipeline of this.pipelines) pipeline.close();
    this.http2.close();
    const code = await server.stop();
    if (code !== 0) this.problems.push(`the server ended with ${code}: ${server.output.slice(-2_000)}`);
    const { events, writers, problems } = await checkLog(server.folder, this.ledger, options.from, options.requests, (index) =>
      this.lineOf(index),
    );
    this.problems.push(...problems);
    const verified = await kubereel(['verify', '--data', server.folder], {}, verifyMsMax);
    if (verified.code !== 0)
      this.problems.push(`verify ended with ${verified.code}: ${verified.stdout.slice(-3_000)}${verified.stderr.slice(-1_000)}`);
    return { events, writers, verified: verified.stdout.trim().split('\n').slice(-4).join('\n'), folder: server.folder };
  }
}

function shown(request: FuzzRequest): string {
  const bytes = request.raw ?? serialized(request, 'host', 'token');
  return JSON.stringify(bytes.subarray(0, 1_500).toString('latin1'));
}

/** A namespace of ours, and what pods need. */
async function prepare(place: Place): Promise<void> {
  await ask(place, 'POST', '/api/v1/namespaces', '{"metadata":{"name":"fuzz"}}');
  for (const namespace of namespaces)
    await ask(place, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, '{"metadata":{"name":"default"}}');
}

function ask(
  { host, port, token }: Place,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'setup', ...headers };
    const sent = httpsRequest({ host, port, method, path, rejectUnauthorized: false, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends them all, and looks at what they left. The data folder stays. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const apps = options.controllers ? [] : ['--apps', 'apiserver,priority-admission,pdb-controller'];
  const server = await MeasuredServer.start(['--nodes', options.controllers ? '2' : '0', ...apps]);
  try {
    return await new Fuzz(server, server.place, options).play();
  } finally {
    await server.stop();
  }
}
