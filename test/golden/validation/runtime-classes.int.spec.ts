import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiUnderTest } from '../../api-under-test.fixture';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** What a real API server answered about runtime classes and pods of them; taken from the recorded validation rules. */
const lines: Loose[] = readFileSync(join(__dirname, 'runtime-classes.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Loose);
const json = { 'content-type': 'application/json' };
let api: ApiUnderTest;

/** Left open: when and under which ids something was stored, generated names, the order of causes. */
function comparable(value: Loose, uid = ''): Loose {
  if (Array.isArray(value)) return value.map((item) => comparable(item, uid));
  if (typeof value === 'string') {
    const text = value.replace(/kube-api-access-(<rand>|\w{5})/, 'kube-api-access').replace('Key: /registry/', 'Key: /');
    return uid === '' ? text : text.replaceAll(uid, '<uid:1>');
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !['uid', 'creationTimestamp', 'resourceVersion', 'managedFields'].includes(key));
  const object = Object.fromEntries(kept.map(([key, part]) => [key, comparable(part, uid)]));
  if (Array.isArray(object.causes)) object.causes.sort((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return object;
}

const target = ({ path, query = '' }: Loose): string => `${path}?${String(query)}`;
const bodyOf = ({ body, bodyText }: Loose): string => bodyText ?? JSON.stringify(body);

beforeAll(async () => {
  api = await ApiUnderTest.start();
  const before = [
    ...lines.map(({ setup }) => setup).filter(Boolean),
    ...lines.filter(({ base, create }) => base && create).map((base) => ({ ...base, body: base.create })),
  ];
  for (const { path, body } of before) {
    expect((await api.send({ method: 'POST', path, headers: json, body: JSON.stringify(body) })).status).toBe(201);
  }
});
afterAll(() => api.close());

describe('runtime classes, as recorded', () => {
  const creates = lines.filter(({ op }) => op === 'create').map((line) => [line.case, line.note, line] as const);
  it.each(creates)('%s: %s', async (_case, _note, line) => {
    const { status, body } = await api.send({ method: 'POST', path: target(line), headers: json, body: bodyOf(line) });
    expect({ status, answer: comparable(JSON.parse(body)) }).toEqual({ status: line.status, answer: comparable(line.answer) });
  });

  const updates = lines.filter(({ op }) => op === 'update').map((line) => [line.case, line.note, line] as const);
  it.each(updates)('%s: %s', async (_case, _note, line) => {
    const { metadata } = JSON.parse((await api.send({ method: 'GET', path: line.path })).body) as Loose;
    const text = bodyOf(line).replaceAll('<uid:1>', metadata.uid).replaceAll('<rv:1>', metadata.resourceVersion);
    const { status, body } = await api.send({ method: 'PUT', path: target(line), headers: json, body: text });
    expect({ status, answer: comparable(JSON.parse(body), metadata.uid) }).toEqual({
      status: line.status,
      answer: comparable(line.answer),
    });
  });
});
