import { describe, expect, it } from 'vitest';
import { Query } from '../request-info/query';
import { answerHeaders, identityHeaders, requestHeaders, targetOf } from './passed-on';

describe('a request that is passed on', () => {
  const user = { name: 'jane', groups: ['ops'] };
  const passed = (headers: Record<string, string>) =>
    requestHeaders({ headers, user, auditId: 'a', from: '192.0.2.1', authority: '10.0.0.9:443', path: '/p' });

  it('loses what is about its own connection, and what says who somebody is', () => {
    const headers = { connection: 'keep-alive, X-Hop', 'x-hop': '1', te: 'trailers', host: 'h', ':path': '/', authorization: 'Bearer t' };
    const said = { 'x-remote-user': 'm', 'x-remote-group': 'm', 'x-remote-uid': 'm', 'x-remote-extra-a': 'm', 'impersonate-user': 'm' };
    expect(passed({ ...headers, ...said, accept: '*/*', 'x-forwarded-for': '192.0.2.9' })).toEqual({
      accept: '*/*',
      'audit-id': 'a',
      'x-forwarded-for': '192.0.2.9, 192.0.2.1',
      'x-forwarded-host': '10.0.0.9:443',
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': '/p',
      'X-Remote-User': 'jane',
      'X-Remote-Group': ['ops'],
    });
  });

  it('tells names as the bytes of UTF-8, and keys that are no header names escaped', () => {
    const told = identityHeaders({ name: 'zoë', uid: '7', groups: [], extra: { 'example.com/ä b': ['1', '2'] } });
    expect(told).toEqual({ 'X-Remote-User': 'zo\u00c3\u00ab', 'X-Remote-Uid': '7', 'X-Remote-Extra-example.com%2F%C3%A4%20b': ['1', '2'] });
  });

  it('has its path and query as Go writes them', () => {
    expect(targetOf("/apis/a/v1/x y/é:@&=+$,;(1)'", new Query('b=2&a=%2F&b=1&c'))).toBe(
      '/apis/a/v1/x%20y/%C3%A9:@&=+$,;%281%29%27?a=%2F&b=2&b=1&c=',
    );
    expect(targetOf('/apis', new Query(''))).toBe('/apis');
  });
});

describe('an answer that is passed back', () => {
  it('loses what is about its own connection, and who may read it elsewhere', () => {
    const headers = {
      connection: 'close',
      'transfer-encoding': 'chunked',
      'access-control-allow-origin': '*',
      'content-type': 'a/b',
      etag: '"1"',
    };
    expect(answerHeaders(headers)).toEqual({ 'Content-Type': 'a/b', Etag: '"1"' });
  });
});
