import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import { goldenPath } from '../status/golden-sessions.fixture';
import { parseApiVersion } from '../kinds';
import { schemaOf } from '../schema';
import { encodeMessage } from './encode-message';
import { decodeMessage, readEnvelope } from './index';
import { watchFrame, writeEnvelope } from './write-envelope';

const file = goldenPath('protobuf-samples.jsonl');
const present = existsSync(file);
if (!present) console.warn(`\n*** RECORDED PROTOBUF SAMPLES ABSENT at ${file}: SKIPPED ***\n`);

interface Sample {
  path: string;
  protobuf?: string;
  json: JsonObject & { kind: string; apiVersion: string };
}
const samples = present
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"protobuf"'))
      .map((line) => JSON.parse(line) as Sample)
  : [];

const definitionOf = (apiVersion: string, kind: string) => {
  const { group, version } = parseApiVersion(apiVersion) as { group: string; version: string };
  const definition = schemaOf({ group, version, kind });
  if (!definition) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return definition;
};

describe.skipIf(!present)('what the real server answers in protobuf', () => {
  const named = samples.filter(({ protobuf }) => protobuf).map((sample) => [`${sample.json.kind} ${sample.path}`, sample] as const);
  it.each(named)('%s is written byte for byte', (_, { protobuf, json }) => {
    const recorded = Buffer.from(protobuf as string, 'base64');
    const { apiVersion, kind } = readEnvelope(recorded);
    const written = writeEnvelope(apiVersion, kind, encodeMessage(definitionOf(apiVersion, kind), json));
    expect(written.toString('latin1')).toBe(recorded.toString('latin1'));
  });
});

describe('messages', () => {
  const round = (kind: string, object: JsonObject): unknown => {
    const definition = definitionOf('v1', kind);
    const { message } = readEnvelope(writeEnvelope('v1', kind, encodeMessage(definition, object)));
    return decodeMessage(definition, message);
  };

  it('hold what they were made of: negative numbers, long texts, odd keys, moments before 1970', () => {
    const text = 'é'.repeat(100_000);
    const map = JSON.parse(`{"__proto__":"a","b":${JSON.stringify(text)}}`) as JsonObject;
    expect(round('ConfigMap', { metadata: { name: 'x', generation: -5 }, data: map })).toMatchObject({
      metadata: { name: 'x', generation: -5 },
      data: map,
    });
    const event = { eventTime: '1969-12-31T23:59:58.123456Z', count: -1, firstTimestamp: '1969-12-31T23:59:58Z' };
    expect(round('Event', event)).toMatchObject(event);
  });

  it('of watches have their length before them', () => {
    const frame = watchFrame('ADDED', Buffer.from('object'));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(frame.subarray(4).toString('latin1')).toBe('\n\x05ADDED\x12\x08\n\x06object');
  });
});
