import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseApiVersion } from '../kinds';
import { convert, decodeObject } from '../decode';
import { schemaOf } from '../schema';
import { goldenPath } from '../status/golden-sessions.fixture';
import { decodeMessage, readEnvelope } from './index';

const file = goldenPath('protobuf-samples.jsonl');
const present = existsSync(file);
if (!present) console.warn(`\n*** RECORDED PROTOBUF SAMPLES ABSENT at ${file}: SKIPPED ***\n`);

interface Sample {
  what: string;
  path: string;
  method?: string;
  protobuf?: string;
  body?: string;
  status?: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json?: any;
}
const samples = present
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"what"'))
      .map((line) => JSON.parse(line) as Sample)
  : [];
const named = samples.map((sample) => [`${sample.what}: ${sample.path}`, sample] as const);

/** Any kind, list or Status: the object of an envelope as the API writes it. */
function decoded(bytes: Buffer): string {
  const { apiVersion, kind, message } = readEnvelope(bytes);
  const definition = schemaOf({ ...(parseApiVersion(apiVersion) as { group: string; version: string }), kind });
  if (!definition) throw new Error(`no schema of ${apiVersion} ${kind}`);
  const { object, error } = convert(definition, { kind, apiVersion, ...decodeMessage(definition, message) });
  expect(error).toBeUndefined();
  return JSON.stringify(object);
}

describe.skipIf(!present)('recorded protobuf', () => {
  it.each(named.filter(([, sample]) => sample.protobuf))('%s', (_, sample) => {
    expect(decoded(Buffer.from(sample.protobuf as string, 'base64'))).toBe(JSON.stringify(sample.json));
  });

  it.each(named.filter(([, sample]) => sample.body !== undefined))('%s', (_, { body, status, json, method }) => {
    const kind = json.kind === 'Status' ? 'ConfigMap' : json.kind;
    const { group, version } = parseApiVersion(json.kind === 'Status' ? 'v1' : json.apiVersion) as { group: string; version: string };
    const read = decodeObject({ group, version, kind, schema: schemaOf({ group, version, kind }) }, Buffer.from(body as string, 'base64'), {
      format: 'protobuf',
    });
    if (status === 400) expect(read).toEqual({ ok: false, status: json });
    else {
      expect(method).toBe('PUT');
      expect(read.ok && JSON.stringify(read.object)).toBe(JSON.stringify(json));
    }
  });
});
