import { describe, expect, it } from 'vitest';
import { readdirSync } from 'node:fs';
import { findSubresource, isSubresourceServed, releaseKinds } from '../kinds';
import { schemaOf } from '../schema';
import { goldenPath, goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import type { GoldenStep } from '../status/golden-sessions.fixture';
import { bodyFormatOf, decodeObject } from './decode-object';
import type { GroupVersionKind } from '../schema';
import type { ExpectedKind, FieldValidation } from './decode-object';
import { convert } from './convert';

const folder = goldenPath('.');
const sessions = goldenPresent
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl') && !/^(kubectl|protobuf|gone)/.test(name))
      .map((name) => name.slice(0, -6))
  : [];

/** The kind that the body of a write to this path has, for served resources. */
function expectedKind(step: GoldenStep): ExpectedKind | undefined {
  const { method, path } = step.request;
  if (method !== 'POST' && method !== 'PUT') return undefined;
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(path);
  if (!match) return undefined;
  const [, group = '', version = '', resource = '', , sub] = match;
  const kind = releaseKinds.findResource(group, version, resource);
  if (!kind?.served) return undefined;
  if (!sub) return kind;
  return isSubresourceServed(kind, sub) ? findSubresource(kind, sub) : undefined;
}

const decodeTexts = /cannot be handled as|object provided is unrecognized|does not match the expected API version/;

describe.skipIf(!goldenPresent)('recorded request bodies', () => {
  it.each(sessions)('%s: are read or refused as the API server did', (session) => {
    for (const step of goldenSteps(session)) {
      const expected = expectedKind(step);
      const { body } = step.request;
      const format = bodyFormatOf(step.request.headers?.['Content-Type']);
      const answer = step.response.body;
      if (!expected || body === undefined || !format || JSON.stringify(step).includes('CALL:')) continue;
      const fieldValidation = goldenQuery(step)['fieldValidation'] as FieldValidation | undefined;
      if (fieldValidation && !['Ignore', 'Warn', 'Strict'].includes(fieldValidation)) continue;
      const text = (typeof body === 'string' ? body : JSON.stringify(body))
        .replaceAll(/<(?:micro)?time>/g, '2026-01-01T00:00:00.000000Z')
        .replaceAll('<ca>', 'Y2E=');
      const decoded = decodeObject(expected, text, { format, fieldValidation });
      const where = `${session} ${step.step}`;
      if (!decoded.ok) expect(decoded.status, where).toEqual(answer);
      else {
        expect(answer?.reason === 'BadRequest' && decodeTexts.test(answer.message), where).toBe(false);
        const given = step.response.headers?.['Warning'] ?? [];
        const warned = (Array.isArray(given) ? given : [given]).filter((line: string) => /(unknown|duplicate) field/.test(line));
        expect(
          decoded.warnings.map((line) => `299 - ${JSON.stringify(line)}`),
          where,
        ).toEqual(warned);
      }
    }
  });
});

const placeholders: [RegExp, string][] = [
  [/<time[^>]*>/g, '2026-01-01T00:00:00Z'],
  [/<microtime>/g, '2026-01-01T00:00:00.000001Z'],
  [/"<nodePort:\d+>"/g, '30080'],
  [/<ca>/g, 'Q0E='],
];

/** Every object of a built-in kind in an answer, with its kind. */
function* objectsIn(value: unknown): Generator<{ gvk: GroupVersionKind; object: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  if (typeof object['kind'] === 'string' && typeof object['apiVersion'] === 'string' && object['metadata']) {
    const [version = '', group = ''] = object['apiVersion'].split('/').reverse();
    if (schemaOf({ group, version, kind: object['kind'] })) yield { gvk: { group, version, kind: object['kind'] }, object };
    return;
  }
  for (const item of Object.values(object)) yield* objectsIn(item);
}

describe.skipIf(!goldenPresent)('recorded answers', () => {
  it.each(sessions)('%s: are in wire form already, to the order of keys', (session) => {
    for (const step of goldenSteps(session)) {
      const text = placeholders.reduce((line, [from, to]) => line.replaceAll(from, to), JSON.stringify(step.response));
      for (const { gvk, object } of objectsIn(JSON.parse(text))) {
        const definition = schemaOf(gvk);
        if (!definition) continue;
        const { object: written, error, strict } = convert(definition, object as never);
        const where = `${session} ${step.step} ${gvk.kind}`;
        expect({ error, strict }, where).toEqual({ error: undefined, strict: [] });
        expect(JSON.stringify(written), where).toBe(JSON.stringify(object));
      }
    }
  });
});
