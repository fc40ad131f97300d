import { describe, expect, it } from 'vitest';
import { Query } from './query';
import { readRequestInfo } from './request-info';

const resourceOf = (method: string, target: string): object | undefined => readRequestInfo(method, target)?.resource;

describe('request info', () => {
  it('reads collections and objects, in a namespace and across', () => {
    expect(resourceOf('GET', '/api/v1/namespaces/a/pods')).toMatchObject({
      group: '',
      version: 'v1',
      resource: 'pods',
      namespace: 'a',
      name: undefined,
      verb: 'list',
    });
    expect(resourceOf('GET', '/api/v1/namespaces/a/pods/p')).toMatchObject({ resource: 'pods', namespace: 'a', name: 'p', verb: 'get' });
    expect(resourceOf('GET', '/api/v1/pods')).toMatchObject({ resource: 'pods', namespace: undefined, verb: 'list' });
    expect(resourceOf('GET', '/apis/apps/v1/namespaces/a/deployments/d/scale')).toMatchObject({
      group: 'apps',
      resource: 'deployments',
      name: 'd',
      subresource: 'scale',
    });
    expect(resourceOf('GET', '/api/v1/nodes/n/')).toMatchObject({ resource: 'nodes', namespace: undefined, name: 'n' });
  });

  it('tells a namespace from what is in it', () => {
    expect(resourceOf('GET', '/api/v1/namespaces')).toMatchObject({ resource: 'namespaces', name: undefined });
    expect(resourceOf('DELETE', '/api/v1/namespaces/a')).toMatchObject({ resource: 'namespaces', name: 'a', verb: 'delete' });
    expect(resourceOf('PUT', '/api/v1/namespaces/a/finalize')).toMatchObject({
      resource: 'namespaces',
      name: 'a',
      subresource: 'finalize',
      verb: 'update',
    });
  });

  it('finds the verb of each method', () => {
    expect(resourceOf('POST', '/api/v1/pods')).toMatchObject({ verb: 'create' });
    expect(resourceOf('DELETE', '/api/v1/namespaces/a/pods')).toMatchObject({ verb: 'deletecollection' });
    expect(resourceOf('PATCH', '/api/v1/namespaces/a/pods/p')).toMatchObject({ verb: 'patch' });
    expect(resourceOf('BREW', '/api/v1/pods')).toMatchObject({ verb: undefined });
  });

  it('knows watches by query and by their former path', () => {
    expect(resourceOf('GET', '/api/v1/pods?watch')).toMatchObject({ verb: 'watch' });
    expect(resourceOf('GET', '/api/v1/pods?watch=1')).toMatchObject({ verb: 'watch' });
    expect(resourceOf('GET', '/api/v1/pods?watch=false')).toMatchObject({ verb: 'list' });
    expect(resourceOf('GET', '/api/v1/watch/namespaces/a/pods')).toMatchObject({ resource: 'pods', namespace: 'a', verb: 'watch' });
  });

  it('takes the moment off a path into the past', () => {
    const info = readRequestInfo('GET', '/at/14:03:10/api/v1/pods?limit=1');
    expect(info).toMatchObject({ at: '14:03:10', path: '/api/v1/pods', resource: { resource: 'pods' } });
    expect(readRequestInfo('GET', '/at/123')).toMatchObject({ at: '123', path: '/' });
  });

  it('takes no doubled slash for the end of what is asked for', () => {
    expect(resourceOf('GET', '/api//v1//pods')).toMatchObject({ version: '', resource: 'v1', isBroken: true });
    expect(resourceOf('GET', '/apis/metrics.k8s.io/v1beta1//nodes')).toMatchObject({
      resource: '',
      name: 'nodes',
      verb: 'get',
      isBroken: true,
    });
    expect(resourceOf('GET', '/apis//v1/nodes')).toMatchObject({ group: '', resource: 'nodes', isBroken: true });
    expect(resourceOf('GET', '/api/v1/pods/')).not.toHaveProperty('isBroken');
  });

  it('gives other paths no resource, and refuses what is no path', () => {
    expect(resourceOf('GET', '/healthz')).toBeUndefined();
    expect(resourceOf('GET', '/api/v1')).toBeUndefined();
    expect(readRequestInfo('GET', '/api/v1/%zz')).toBeUndefined();
    expect(readRequestInfo('GET', 'http://elsewhere/')).toBeUndefined();
    expect(resourceOf('GET', '/api/v1/namespaces/..%2f..%2fetc/pods')).toMatchObject({ resource: '..', namespace: '..' });
  });
});

describe('query', () => {
  it('drops what cannot be decoded and keeps the rest', () => {
    const query = new Query('&limit=500&a=%zz&labelSelector=x%3Dy,a+in+(b)&x=1&x=2&');
    expect(query.text('labelSelector')).toBe('x=y,a in (b)');
    expect(query.has('a')).toBe(false);
    expect(query.all('x')).toEqual(['1', '2']);
    expect(query.text('__proto__')).toBe('');
  });

  it("reads numbers and flags in Go's manner", () => {
    expect(new Query('limit=500').integer('limit')).toEqual({ value: 500 });
    expect(new Query('').integer('limit')).toEqual({ value: undefined });
    expect(new Query('limit=abc').integer('limit')).toEqual({ error: 'strconv.ParseInt: parsing "abc": invalid syntax' });
    expect(new Query('limit=99999999999999999999').integer('limit')).toEqual({
      error: 'strconv.ParseInt: parsing "99999999999999999999": value out of range',
    });
    expect([
      new Query('w').flag('w'),
      new Query('w=no').flag('w'),
      new Query('w=0').flag('w'),
      new Query('w=FALSE').flag('w'),
      new Query('').flag('w'),
    ]).toEqual([true, true, false, false, undefined]);
  });
});
