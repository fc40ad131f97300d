import { describe, expect, it } from 'vitest';
import { Bindings } from '../compare/bindings';
import { encodeQuery } from './client';
import { Recall } from './recall';
import type { SubstituteContext } from './substitute';
import { fillRequest, fillText, fillValue } from './substitute';

const uid = '00000000-0000-0000-0000-000000000001';

function context(): SubstituteContext {
  return {
    bindings: new Bindings(),
    startedAt: 0,
    now: () => Date.parse('2026-03-01T10:00:00.250Z'),
    recall: new Recall(),
    given: new Map([['<port>', '4443']]),
    inventUid: () => uid,
  };
}

describe('requests', () => {
  it('carry our values in path, query, headers and body', () => {
    const c = context();
    c.bindings.same('rand', '1', 'bcdfg');
    c.bindings.version(4, 44n);
    c.bindings.remember('continue', '1', 'TOKEN');
    c.bindings.same('jwt', '1', 'a.b.c');
    const filled = fillRequest(c, {
      method: 'GET',
      path: '/pods/web-<rand:1>',
      query: 'resourceVersion=<rv:4>&continue=<continue:1>',
      headers: { Authorization: 'Bearer <jwt:1>' },
      body: { url: 'https://127.0.0.1:<port>/x', list: ['<rv:4>'], n: 1 },
    });
    expect(filled).toEqual({
      method: 'GET',
      path: '/pods/web-bcdfg',
      query: 'resourceVersion=44&continue=TOKEN',
      headers: { Authorization: 'Bearer a.b.c' },
      body: { url: 'https://127.0.0.1:4443/x', list: ['44'], n: 1 },
    });
  });

  it('with a uid that the session made up keep it', () => {
    const c = context();
    expect(fillText(c, '<uid:9>')).toBe(uid);
    expect(c.bindings.same('uid', '9', uid)).toBeUndefined();
    expect(c.bindings.same('uid', '9', 'another')).toContain('before');
  });

  it('with a version nobody knows cannot be sent', () => {
    expect(() => fillText(context(), '<rv:3>')).toThrow('no value is known for <rv:3>');
    expect(() => fillText(context(), '<ca>')).toThrow('<ca>');
  });

  it('put an object back with the times and generated names our server gave it', () => {
    const c = context();
    const recorded = { metadata: { uid: '<uid:1>', creationTimestamp: '<time>' }, spec: { volumes: [{ name: 'token-<rand>' }] } };
    const actual = { metadata: { uid, creationTimestamp: '2026-02-02T02:02:02Z' }, spec: { volumes: [{ name: 'token-bcdfg' }] } };
    c.bindings.same('uid', '1', uid);
    c.recall.learn({ items: [recorded] }, { items: [actual] });
    expect(fillValue(c, recorded)).toEqual(actual);
  });

  it('without such an object name the present time', () => {
    expect(fillValue(context(), { t: '<time>', m: '<microtime>' })).toEqual({
      t: '2026-03-01T10:00:00Z',
      m: '2026-03-01T10:00:00.250000Z',
    });
  });

  it('use hashes and ETags of documents', () => {
    const c = context();
    c.recall.learnDocuments({ paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=ABC' } } });
    c.recall.learnEtag('/api', '"E1"');
    c.recall.learnEtag('/apis', '"E2"');
    const filled = fillRequest(c, { method: 'GET', path: '/openapi/v3/apis/apps/v1', query: 'hash=<hash>' });
    expect(filled.query).toBe('hash=ABC');
    expect(fillRequest(c, { method: 'GET', path: '/api', headers: { 'If-None-Match': '"<etag>"' } }).headers).toEqual({
      'If-None-Match': '"E1"',
    });
  });

  it('with an old token set its version to 1', () => {
    const c = context();
    const token = (rv: number) => Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: 'a' })).toString('base64url');
    c.bindings.remember('continue', '4', token(77));
    expect(fillText(c, '<continue:old>')).toBe(token(1));
    c.bindings.remember('continue', '4', 'opaque');
    expect(() => fillText(c, '<continue:old>')).toThrow('continue:old');
  });

  it('encode the query', () => {
    expect(encodeQuery('verbose&labelSelector=app in (x,y)&fieldSelector=a!=b')).toBe(
      'verbose&labelSelector=app%20in%20(x,y)&fieldSelector=a!%3Db',
    );
  });
});
