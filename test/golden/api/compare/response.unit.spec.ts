import { describe, expect, it } from 'vitest';
import type { RecordedResponse } from '../recording';
import { Bindings } from './bindings';
import type { CompareContext } from './context';
import { compareResponse, readsCollection } from './response';

type Headers = Record<string, string[]>;

function differences(expected: RecordedResponse, status: number, headers: Headers, body: string | Buffer, area = 'crud'): string[] {
  const header = { session: 's', title: '', area, server: 'v1.34.4', runs: 'apiserver' };
  const context: CompareContext = { bindings: new Bindings(), startedAt: 0, now: () => 0, header, differences: [] };
  const answer = { status, headers: new Map(Object.entries(headers)), body: Buffer.from(body) };
  compareResponse(context, { method: 'GET', path: '/api/v1/namespaces/a/pods' }, expected, answer, '');
  return context.differences.map(({ path, text }) => `${path}: ${text}`);
}

describe('answers', () => {
  const json = { 'content-type': ['application/json'] };

  it('are compared by status and body', () => {
    expect(differences({ status: 200, body: { a: 1 } }, 200, json, '{"a":1}')).toEqual([]);
    expect(differences({ status: 201, body: { a: 1 } }, 200, json, '{"a":2}')).toEqual([
      'status: expected 201, got 200',
      'body.a: expected 1, got 2',
    ]);
    expect(differences({ status: 200, body: {} }, 200, json, 'oops')).toEqual(['body: is no JSON: "oops"']);
    expect(differences({ status: 405 }, 405, json, 'x')).toEqual(['body: unexpected, got "x"']);
    expect(differences({ status: 200, text: 'ok' }, 200, json, 'ok\n')).toEqual(['text: expected "ok", got "ok\\n"']);
  });

  it('have the kept headers of the recording, and no other kept ones', () => {
    const more = { ...json, date: ['x'], 'audit-id': ['1'], 'cache-control': ['no-cache'] };
    expect(differences({ status: 200, body: {} }, 200, more, '{}')).toEqual([]);
    expect(differences({ status: 200, body: {} }, 200, { ...json, warning: ['299 - "x"'] }, '{}')).toEqual([
      'headers.warning: unexpected, got "299 - \\"x\\""',
    ]);
    const warned: RecordedResponse = { status: 200, headers: { Warning: ['a', 'b'] }, body: {} };
    expect(differences(warned, 200, { ...json, warning: ['a', 'b'] }, '{}')).toEqual([]);
    expect(differences(warned, 200, { ...json, warning: ['b', 'a'] }, '{}')).toHaveLength(2);
    expect(differences(warned, 200, { ...json, warning: ['a'] }, '{}')).toEqual(['headers.warning: expected ["a","b"], got ["a"]']);
    expect(differences(warned, 200, json, '{}')).toEqual(['headers.warning: missing, expected ["a","b"]']);
    expect(differences({ status: 200, body: {} }, 200, { 'content-type': ['text/plain'] }, '{}')).toEqual([
      'headers.content-type: unexpected, got "text/plain"',
    ]);
  });

  it('have all headers of the recording in discovery and negotiation', () => {
    const uid = '00000000-0000-0000-0000-000000000001';
    const expected: RecordedResponse = { status: 200, headers: { 'Audit-Id': '<uid:1>', 'Content-Type': 'application/json' }, body: {} };
    expect(differences(expected, 200, { ...json, 'audit-id': [uid], date: ['x'], 'content-length': ['2'] }, '{}', 'discovery')).toEqual([]);
    expect(differences(expected, 200, { ...json, 'audit-id': [uid], 'keep-alive': ['timeout=5'] }, '{}', 'negotiation')).toEqual([
      'headers.keep-alive: unexpected, got "timeout=5"',
    ]);
    expect(differences(expected, 200, json, '{}', 'discovery')).toEqual(['headers.audit-id: missing, expected "<uid:1>"']);
  });

  it('in binary begin alike and are about as long', () => {
    const expected: RecordedResponse = { status: 200, binary: { length: 205, startsWith: '6b387300' } };
    expect(differences(expected, 200, json, Buffer.concat([Buffer.from('k8s\0')], 208))).toEqual([]);
    expect(differences(expected, 200, json, Buffer.concat([Buffer.from('k8s\0')], 150))).toEqual(['binary.length: expected 205, got 150']);
    expect(differences(expected, 200, json, Buffer.alloc(205))).toHaveLength(1);
  });

  it('that are not kept have to be there', () => {
    expect(differences({ status: 200, bodyFile: '(not kept)' }, 200, json, 'anything')).toEqual([]);
    expect(differences({ status: 200, bodyFile: '(not kept)' }, 200, json, '')).toEqual(['body: empty']);
  });
});

describe('requests for collections', () => {
  it.each([
    ['/api/v1/pods', true],
    ['/api/v1/namespaces', true],
    ['/api/v1/namespaces/a', false],
    ['/api/v1/namespaces/a/pods', true],
    ['/api/v1/namespaces/a/pods/b', false],
    ['/api/v1/namespaces/a/pods/b/status', false],
    ['/api/v1/nodes/n', false],
    ['/apis/apps/v1/deployments', true],
    ['/apis/apps/v1/namespaces/a/deployments', true],
    ['/apis/apps/v1/namespaces/a/deployments/b', false],
    ['/apis/scheduling.k8s.io/v1/priorityclasses/high', false],
  ])('%s: %s', (path, is) => {
    expect(readsCollection({ method: 'GET', path })).toBe(is);
  });
});
