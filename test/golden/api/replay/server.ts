// A server that answers from a recording, with values of its own in place of the placeholders. It exists to try the player: a
// session played against it has to pass, and a planted difference has to be found.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { encodeQuery } from '../play/client';
import { isNotKept } from '../compare/left-open';
import type { Placeholder } from '../compare/placeholders';
import { standsForNumber, templateOf } from '../compare/placeholders';
import type { HttpStep, Recording, RecordedRequest, SetupEntry } from '../recording';
import { isHttp } from '../recording';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Invents one value for each numbered placeholder. */
export class Inventor {
  private readonly seed: string;
  private readonly adopted = new Map<string, string>();

  constructor(seed: string) {
    this.seed = seed;
  }

  text(text: string): string {
    return templateOf(text)
      .parts.map((part, index, parts) => (typeof part === 'string' ? part : this.value(part, String(parts[index - 1] ?? ''))))
      .join('');
  }

  /** Uids that a request makes up are taken over from it. */
  adopt(recorded: string, actual: string): void {
    const template = templateOf(recorded);
    const found = template.whole.exec(actual);
    for (const [index, { kind, number, text }] of template.placeholders.entries()) {
      if (kind === 'uid' && number !== undefined && found !== null && !this.issued.has(text))
        this.adopted.set(text, found[index + 1] ?? '');
    }
  }

  private readonly issued = new Set<string>();

  json(value: unknown): unknown {
    if (typeof value === 'string') return standsForNumber(value) ? Number(this.text(value)) : this.text(value);
    if (Array.isArray(value)) return value.map((element) => this.json(element));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [this.text(key), this.json(element)]));
  }

  private value(placeholder: Placeholder, before: string): string {
    const { kind, number = 'x', afterDeletion, text } = placeholder;
    this.issued.add(text);
    const adopted = this.adopted.get(text);
    if (adopted !== undefined) return adopted;
    const digest = createHash('sha256').update(`${this.seed} ${kind} ${number}`).digest('hex');
    const letters = (count: number) =>
      Array.from(digest.slice(0, count), (digit, index) => alphabet[(Number.parseInt(digit, 16) + index) % alphabet.length]).join('');
    const moment = new Date(Date.now() + (afterDeletion ?? 0) * 1000).toISOString();
    const values: Record<string, () => string> = {
      uid: () => digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      rv: () => String(1000 + Number.parseInt(number, 10) * 7 || 3),
      time: () => moment.replace(/\.\d+Z$/, 'Z'),
      microtime: () => moment.replace('Z', '123Z'),
      nanotime: () => moment.replace('Z', '123456Z'),
      rand: () => letters(5),
      hash: () => (before.endsWith('?hash=') ? digest.toUpperCase() : letters(9)),
      hex: () => digest.slice(0, 16),
      continue: () => Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 7, start: number })).toString('base64url'),
      etag: () => digest.toUpperCase(),
      jwt: () => `${digest}.${digest}.${digest}`,
      pem: () => `-----BEGIN CERTIFICATE-----\n${digest}\n-----END CERTIFICATE-----\n`,
      ca: () => digest,
      ip: () => `10.0.0.${(Number.parseInt(digest.slice(0, 2), 16) % 200) + Number.parseInt(number, 10) || 1}`,
      nodePort: () => String(30_000 + (Number.parseInt(digest.slice(0, 3), 16) % 2700)),
      port: () => '6443',
      age: () => '12s',
      httpdate: () => new Date().toUTCString(),
    };
    return values[kind]?.() ?? digest.slice(0, 26);
  }
}

interface Exchange {
  step: number;
  recorded: RecordedRequest;
  entry?: SetupEntry;
  http?: HttpStep;
}

interface OpenWatch {
  http: HttpStep;
  response: ServerResponse;
}

export interface Condition {
  status: number;
  body: unknown;
}

/** What a test may change in an answer before it is sent: the body, or the frames of a watch. */
export type Alter = (step: number, answer: unknown) => unknown;

export class ReplayServer {
  readonly problems: string[] = [];
  private readonly exchanges: Exchange[];
  private readonly inventor: Inventor;
  private readonly alter: Alter;
  private readonly conditions: ReadonlyMap<string, Condition>;
  private readonly open: OpenWatch[] = [];
  private readonly server: Server;
  private readonly dir: string;
  private at = 0;

  /** `conditions`: an answer under which each `until` of the set-up holds. */
  constructor(recording: Recording, alter: Alter = (_, answer) => answer, conditions: ReadonlyMap<string, Condition> = new Map()) {
    this.dir = recording.dir;
    this.conditions = conditions;
    this.inventor = new Inventor(recording.header.session);
    this.alter = alter;
    this.exchanges = exchangesOf(recording);
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** Answers the address. */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.sendDate = false;
    response.removeHeader('connection');
    const exchange = this.exchanges[this.at];
    if (request.url === '/version' && exchange?.recorded.path !== '/version') {
      response.end('{}');
      return;
    }
    this.at += 1;
    if (exchange === undefined) {
      this.problems.push(`one request too many: ${request.method} ${request.url}`);
      response.writeHead(599).end();
      return;
    }
    this.check(exchange, request, Buffer.concat(chunks).toString('utf8'));
    if (exchange.entry !== undefined) this.answerSetup(exchange.entry, response);
    else if (exchange.http !== undefined) this.answerStep(exchange.http, response);
  }

  /** The player has to send what was recorded, with our values in it. */
  private check(exchange: Exchange, request: IncomingMessage, body: string): void {
    const { recorded, step } = exchange;
    if (body !== '') this.inventor.adopt(JSON.stringify(recorded.body), body);
    const query = recorded.query?.replace(/<continue:old>/g, '<continue:1>');
    const wanted = `${this.inventor.text(recorded.path)}${query === undefined ? '' : `?${encodeQuery(this.inventor.text(query))}`}`;
    const isOld = recorded.query?.includes('<continue:old>') === true;
    if (request.method !== recorded.method || (!isOld && request.url !== wanted)) {
      this.problems.push(`before/at step ${step}: expected ${recorded.method} ${wanted}, got ${request.method} ${request.url}`);
    }
    const expected = bodyText(this.inventor, recorded.body);
    if (expected !== withoutTimes(body)) this.problems.push(`step ${step}: expected body ${expected}, got ${body}`);
  }

  private answerSetup(entry: SetupEntry, response: ServerResponse): void {
    const until = entry.until === undefined ? undefined : this.conditions.get(entry.until);
    response.statusCode = until?.status ?? 200;
    response.end(JSON.stringify(until?.body ?? { metadata: this.inventor.json(entry.gives ?? {}) }));
  }

  private answerStep(http: HttpStep, response: ServerResponse): void {
    const { step, response: recorded } = http;
    const headers = this.inventor.json(recorded.headers ?? {}) as Record<string, string | string[]>;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.statusCode = recorded.status;
    if (recorded.frames !== undefined) {
      response.flushHeaders();
      this.open.push({ http, response });
    } else if (recorded.text !== undefined) response.end(this.alter(step, this.inventor.text(recorded.text)));
    else if (recorded.binary !== undefined) {
      response.end(Buffer.concat([Buffer.from(recorded.binary.startsWith, 'hex')], recorded.binary.length));
    } else if (recorded.bodyFile !== undefined) {
      response.end(isNotKept(recorded.bodyFile) ? '{}' : readFileSync(join(this.dir, recorded.bodyFile)));
    } else if (recorded.body === undefined) response.end();
    else response.end(JSON.stringify(this.alter(step, this.inventor.json(recorded.body))));
    this.frames(step);
  }

  private frames(step: number): void {
    for (const watch of this.open) {
      const { frames = [], end, endAfterStep } = watch.http.response;
      const due = frames.filter(({ afterStep }) => afterStep === step).map(({ frame }) => this.inventor.json(frame));
      for (const frame of this.alter(watch.http.step, due) as unknown[]) watch.response.write(`${JSON.stringify(frame)}\n`);
      if (end === 'closed by server' && endAfterStep === step) watch.response.end();
    }
  }
}

function exchangesOf(recording: Recording): Exchange[] {
  const { setup = [] } = recording.header;
  const exchanges: Exchange[] = [];
  let done = Number.NEGATIVE_INFINITY;
  const setupBefore = (step: number) => {
    for (const entry of setup) {
      const { beforeStep = 1, method, path } = entry;
      if (beforeStep <= done || beforeStep > step || method === undefined || path === undefined) continue;
      const recorded: RecordedRequest = { method, path, body: entry.body };
      if (entry.query !== undefined) recorded.query = entry.query;
      exchanges.push({ step, entry, recorded });
    }
    done = step;
  };
  for (const step of recording.steps.filter(isHttp)) {
    setupBefore(step.step);
    exchanges.push({ step: step.step, recorded: step.request, http: step });
  }
  setupBefore(Number.POSITIVE_INFINITY);
  return exchanges;
}

/** The clock goes on between our filling and the player's. */
const withoutTimes = (text: string): string => text.replace(/(?!2000|2020|2030)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME');

function bodyText(inventor: Inventor, body: unknown): string {
  if (body === undefined) return '';
  return withoutTimes(typeof body === 'string' ? body : JSON.stringify(inventor.json(body)));
}
