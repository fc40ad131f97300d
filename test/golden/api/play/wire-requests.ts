// Recordings that are no sessions of steps: what kubectl put on the wire, and the same objects as JSON and as protobuf.
import type { Difference, SessionResult, StepResult } from '../../play-result';
import { Bindings } from '../compare/bindings';
import type { Answer, Client } from './client';
import { parse } from '../compare/response';
import type { CompareContext } from '../compare/context';
import { describe, show } from '../compare/match';
import { Recall } from './recall';
import type { Header, Recording, RecordedRequest, RequestsStep, WireRequest } from '../recording';
import { runSetup, Unsupported } from './setup';
import type { SetupContext } from './setup';
import { randomUUID } from 'node:crypto';

export interface WireTools {
  client: Client;
  patience: number;
  pauses: boolean;
}

export function setupFor(header: Header, tools: WireTools): SetupContext {
  const match = { bindings: new Bindings(), startedAt: Date.now(), now: () => Date.now() };
  const compare: CompareContext = { ...match, header, differences: [] };
  return {
    client: tools.client,
    compare,
    substitute: { ...match, recall: new Recall(), given: new Map(), inventUid: () => randomUUID() },
    patience: { milliseconds: tools.patience },
    pauses: tools.pauses,
  };
}

/** What has to be sent anew to be meaningful here: versions, hashes of documents, uids of the recorded cluster. */
class WireValues {
  private version = '1';
  private readonly uids = new Map<string, string>();
  private readonly recall = new Recall();

  learn(body: unknown): void {
    this.recall.learnDocuments(body);
    const metadata = (body as { metadata?: { resourceVersion?: unknown; uid?: unknown } } | undefined)?.metadata;
    if (typeof metadata?.resourceVersion === 'string') this.version = metadata.resourceVersion;
    if (typeof metadata?.uid === 'string') this.uids.set('last', metadata.uid);
  }

  /** In a query the quotes around a version are the transcript's; in a body they are JSON's. */
  fillQuery(text: string, path: string): string {
    return this.fill(text.replaceAll('"<rv>"', '<rv>'), path);
  }

  fill(text: string, path: string): string {
    const filled = text
      .replaceAll('<rv>', this.version)
      .replaceAll('<n>', '1')
      .replaceAll('<time>', new Date().toISOString().replace(/\.\d+Z$/, 'Z'))
      .replaceAll('<hash>', this.recall.hashOf(path) ?? 'UNKNOWN');
    const uid = this.uids.get('last');
    return uid === undefined ? filled : filled.replace(/(involvedObject\.uid%3D)[0-9a-f]{8}-[0-9a-f-]{27}/g, `$1${uid}`);
  }
}

const isStream = (url: string): boolean => /[?&]watch=true/.test(url);

/** A step is one command; it passes when each of its requests gets the recorded status and content type. */
export async function playRequests(recording: Recording, tools: WireTools): Promise<SessionResult> {
  const started = Date.now();
  const steps = recording.steps as unknown as RequestsStep[];
  const values = new WireValues();
  const setup = setupFor(recording.header, tools);
  const result: SessionResult = { session: recording.header.session, total: steps.length, steps: [], seconds: 0 };
  let done = Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    const differences: Difference[] = [];
    setup.compare.differences = differences;
    for (const entry of recording.header.setup ?? []) {
      const { beforeStep = 1 } = entry;
      if (beforeStep > done && beforeStep <= step.step) await attempt(differences, 'setup', () => runSetup(setup, entry));
    }
    done = step.step;
    for (const [index, wire] of step.requests.entries()) {
      const path = `requests[${index}: ${wire.method} ${wire.url.split('?')[0] ?? ''}]`;
      await attempt(differences, path, () => playRequest(tools.client, values, wire, path, differences));
    }
    result.steps.push({ step: step.step, differences } satisfies StepResult);
  }
  result.seconds = (Date.now() - started) / 1000;
  return result;
}

async function playRequest(client: Client, values: WireValues, wire: WireRequest, path: string, differences: Difference[]): Promise<void> {
  // An upgrade that never got an answer when it was recorded, or a body that was not kept whole.
  if (wire.status === undefined || wire.body?.endsWith(' chars]')) return;
  const [urlPath = '/', query] = wire.url.split('?');
  const request: RecordedRequest = { method: wire.method, path: urlPath, headers: wire.headers };
  if (query !== undefined) request.query = decodeURIComponent(values.fillQuery(query, urlPath));
  if (wire.body !== undefined) request.body = values.fill(wire.body, urlPath);
  const answer = isStream(wire.url) ? await headOf(client, request) : await client.send(request);
  const type = answer.headers.get('content-type')?.[0];
  values.learn(parse(answer.body.toString('utf8')));
  if (answer.status !== wire.status) {
    differences.push({
      path: `${path}.status`,
      text: `${describe(wire.status, answer.status)}: ${show(answer.body.toString('utf8').slice(0, 200))}`,
    });
  } else if (wire.responseType !== undefined && type !== wire.responseType) {
    differences.push({ path: `${path}.responseType`, text: describe(wire.responseType, type) });
  }
}

async function headOf(client: Client, request: RecordedRequest): Promise<Answer> {
  const stream = await client.watch(request);
  stream.close();
  return { status: stream.status, headers: stream.headers, body: Buffer.alloc(0) };
}

export async function attempt(differences: Difference[], path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Unsupported) throw error;
    differences.push({ path, text: (error as Error).message });
  }
}
