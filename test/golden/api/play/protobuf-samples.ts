// protobuf-samples: the same objects as JSON and as protobuf, request bodies in protobuf, a watch in protobuf. The file holds
// literal values of the recorded cluster; what is another value here is first made a placeholder.
import type { Difference, SessionResult } from '../../play-result';
import type { Answer, Client } from './client';
import { compareBody } from '../compare/values';
import { parse } from '../compare/response';
import type { CompareContext } from '../compare/context';
import { report } from '../compare/context';
import { describe } from '../compare/match';
import { attempt, setupFor } from './wire-requests';
import type { WireTools } from './wire-requests';
import { closeEnvelope, openEnvelope, readFields, replaceStrings, withoutChangingMetadata } from './protobuf-wire';
import type { RecordedRequest, Recording, Sample } from '../recording';
import { runSetup } from './setup';

type Replacements = Map<string, string>;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
// "Years 2000, 2020, 2030 and 2026-01-01 are literals chosen by the session."
const recordedMoment = /^(?!2000-|2020-|2030-|2026-01-01)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Turns values of the recorded cluster into placeholders. */
class Literals {
  private readonly uids = new Map<string, number>();

  generalize(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((element) => this.generalize(element, key));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, element]) => [name, this.generalize(element, name)]));
    if (typeof value !== 'string') return value;
    if (key === 'resourceVersion') return `<rv:${value}>`;
    if (key === 'clusterIP' || key === 'clusterIPs') return '<ip:1>';
    if (recordedMoment.test(value)) return '<time>';
    return value.replace(uuid, (uid) => `<uid:${this.numberOf(uid)}>`).replace(/^kube-api-access-[a-z0-9]{5}$/, 'kube-api-access-<rand>');
  }

  private numberOf(uid: string): number {
    const known = this.uids.get(uid) ?? this.uids.size + 1;
    this.uids.set(uid, known);
    return known;
  }
}

/** Which strings of the recorded message are others here. */
function collect(recorded: unknown, general: unknown, actual: unknown, replacements: Replacements): void {
  if (typeof recorded === 'string') {
    if (typeof actual === 'string' && recorded !== general && recorded !== actual) replacements.set(recorded, actual);
  } else if (Array.isArray(recorded) && Array.isArray(general) && Array.isArray(actual)) {
    for (const [index, value] of recorded.entries()) collect(value, general[index], actual[index], replacements);
  } else if (isObject(recorded) && isObject(general) && isObject(actual)) {
    for (const [key, value] of Object.entries(recorded)) {
      if (Object.hasOwn(actual, key)) collect(value, general[key], actual[key], replacements);
    }
  }
}

function compareEnvelope(context: CompareContext, expected: Buffer, actual: Buffer, replacements: Replacements, path: string): void {
  const [theirs, ours] = [openEnvelope(expected), openEnvelope(actual)];
  if (theirs === undefined || ours === undefined) return report(context, path, 'is no enveloped protobuf message');
  if (theirs.apiVersion !== ours.apiVersion) report(context, `${path}.apiVersion`, describe(theirs.apiVersion, ours.apiVersion));
  if (theirs.kind !== ours.kind) report(context, `${path}.kind`, describe(theirs.kind, ours.kind));
  const wanted = withoutChangingMetadata(theirs.kind, replaceStrings(theirs.raw, replacements));
  const got = withoutChangingMetadata(ours.kind, ours.raw);
  if (wanted.equals(got)) return;
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at += 1;
  const near = (bytes: Buffer) => JSON.stringify(bytes.subarray(Math.max(0, at - 16), at + 32).toString('latin1'));
  report(context, path, `differs from byte ${at} of the message: expected ${near(wanted)}, got ${near(got)}`);
}

class SamplesPlay {
  private readonly literals = new Literals();
  private readonly replacements = new Map<string, Replacements>();
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async play(context: CompareContext, sample: Sample): Promise<void> {
    if (sample.stream !== undefined) return this.watch(context, sample);
    if (sample.body !== undefined) return this.put(context, sample);
    const asJson = await this.client.send({ method: 'GET', path: sample.path });
    const json = parse(asJson.body.toString('utf8'));
    const replacements = this.compareJson(context, sample, json);
    this.replacements.set(sample.path, replacements);
    const asProtobuf = await this.client.send({
      method: 'GET',
      path: sample.path,
      headers: { Accept: 'application/vnd.kubernetes.protobuf' },
    });
    compareEnvelope(context, Buffer.from(sample.protobuf ?? '', 'base64'), asProtobuf.body, replacements, 'protobuf');
  }

  private compareJson(context: CompareContext, sample: Sample, json: unknown): Replacements {
    const general = this.literals.generalize(sample.json);
    compareBody(context, general, json, 'json', isObject(general) && String(general['kind']).endsWith('List'));
    const replacements: Replacements = new Map();
    collect(sample.json, general, json, replacements);
    return replacements;
  }

  private async put(context: CompareContext, sample: Sample): Promise<void> {
    const [path = '', query] = sample.path.split('?');
    const replacements = this.replacements.get(path) ?? new Map<string, string>();
    const recorded = Buffer.from(sample.body ?? '', 'base64');
    const envelope = openEnvelope(recorded);
    const body = envelope === undefined ? recorded : closeEnvelope(envelope, replaceStrings(envelope.raw, replacements));
    const request: RecordedRequest = { method: sample.method ?? 'PUT', path, headers: { 'Content-Type': sample.contentType ?? '' } };
    if (query !== undefined) request.query = query;
    const answer: Answer = await this.client.send(request, body);
    if (answer.status !== sample.status) report(context, 'status', describe(sample.status, answer.status));
    compareBody(context, this.literals.generalize(sample.json), parse(answer.body.toString('utf8')), 'json', false);
  }

  /** The recorded watch had no end; here it gets one, so that the answer can be read as a whole. */
  private async watch(context: CompareContext, sample: Sample): Promise<void> {
    const [path = '', query = ''] = sample.path.split('?');
    const answer = await this.client.send({
      method: 'GET',
      path,
      query: `${query}&timeoutSeconds=1`,
      headers: { Accept: sample.accept ?? '' },
    });
    const type = answer.headers.get('content-type')?.[0];
    if (type !== sample.responseContentType) report(context, 'headers.content-type', describe(sample.responseContentType, type));
    const [theirs, ours] = [framesOf(Buffer.from(sample.stream ?? '', 'base64')), framesOf(answer.body)];
    if (theirs.length !== ours.length) report(context, 'frames', describe(theirs.length, ours.length));
    for (const [index, frame] of theirs.entries()) {
      const other = ours[index];
      if (other === undefined) continue;
      if (frame.type !== other.type) report(context, `frames[${index}].type`, describe(frame.type, other.type));
      const replacements = new Map([...this.replacements.values()].flatMap((known) => [...known]));
      compareEnvelope(context, frame.object, other.object, replacements, `frames[${index}].object`);
    }
  }
}

/** Four bytes of length, then a WatchEvent `{1: type, 2: {1: enveloped object}}`. */
function framesOf(stream: Buffer): { type: string; object: Buffer }[] {
  const frames: { type: string; object: Buffer }[] = [];
  for (let at = 0; at + 4 <= stream.length;) {
    const end = at + 4 + stream.readUInt32BE(at);
    const fields = readFields(stream.subarray(at + 4, end)) ?? [];
    const object = readFields(fields.find(({ number }) => number === 2)?.value ?? Buffer.alloc(0)) ?? [];
    frames.push({
      type: fields.find(({ number }) => number === 1)?.value.toString() ?? '',
      object: object.find(({ number }) => number === 1)?.value ?? Buffer.alloc(0),
    });
    at = end;
  }
  return frames;
}

/** A step is one sample. */
export async function playSamples(recording: Recording, tools: WireTools): Promise<SessionResult> {
  const started = Date.now();
  const { header, samples } = recording;
  const result: SessionResult = { session: header.session, total: samples.length, steps: [], seconds: 0 };
  const setup = setupFor(header, tools);
  const before: Difference[] = [];
  setup.compare.differences = before;
  for (const entry of header.setup ?? []) await attempt(before, 'setup', () => runSetup(setup, entry));
  const play = new SamplesPlay(tools.client);
  for (const [index, sample] of samples.entries()) {
    const differences = index === 0 ? before : [];
    const context: CompareContext = { ...setup.compare, differences };
    await attempt(differences, sample.path, () => play.play(context, sample));
    result.steps.push({ step: `${index + 1} (${sample.what.split(':')[0]} ${sample.path})`, differences });
  }
  result.seconds = (Date.now() - started) / 1000;
  return result;
}
