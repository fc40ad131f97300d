import { describe, expect, it } from 'vitest';
import { readRequestInfo, type RequestInfo } from '../request-info/request-info';
import { RequestsInFlight, tooManyInFlight } from './in-flight';

const of = (method: string, path: string): RequestInfo => readRequestInfo(method, path) as RequestInfo;
const pods = '/api/v1/namespaces/default/pods';
const bob = { groups: ['system:authenticated'] };
const admin = { groups: ['system:masters'] };

describe('requests in flight', () => {
  it('are refused beyond the bound, and let in again when one has been answered', () => {
    const inFlight = new RequestsInFlight({ readOnly: 2 });
    const leave = inFlight.enter(of('GET', pods), bob);
    expect(inFlight.enter(of('GET', '/api'), bob)).toBeDefined();
    expect(inFlight.enter(of('GET', pods), bob)).toBeUndefined();
    leave?.();
    expect(inFlight.enter(of('GET', pods), bob)).toBeDefined();
  });

  it('are counted apart for those that read and those that write', () => {
    const inFlight = new RequestsInFlight({ mutating: 1 });
    inFlight.enter(of('POST', pods), bob);
    for (const [method, path] of [
      ['PUT', `${pods}/a`],
      ['DELETE', `${pods}/a`],
      ['POST', '/version'],
    ] as const)
      expect(inFlight.enter(of(method, path), bob)).toBeUndefined();
    for (let i = 0; i < 10; i++) expect(inFlight.enter(of('GET', pods), bob)).toBeDefined();
  });

  it('always have room for an administrator, and for streams, which take none', () => {
    const inFlight = new RequestsInFlight({ readOnly: 1, mutating: 1 });
    for (const path of [`${pods}?watch=1`, `${pods}/a/log`, `${pods}/a/proxy/x`]) inFlight.enter(of('GET', path), bob);
    inFlight.enter(of('POST', `${pods}/a/exec`), bob);
    expect(inFlight.enter(of('GET', pods), admin)).toBeDefined();
    expect(inFlight.enter(of('GET', pods), admin)).toBeDefined();
    expect(inFlight.enter(of('GET', pods), bob)).toBeUndefined();
  });

  it('are as many as come where nothing is set', () => {
    const inFlight = new RequestsInFlight({ readOnly: 0 });
    for (let i = 0; i < 1_000; i++) expect(inFlight.enter(of('GET', pods), bob)).toBeDefined();
  });

  it('are told to come back', () => {
    expect(tooManyInFlight()).toMatchObject({
      status: 429,
      body: 'Too many requests, please try again later.\n',
      headers: { 'Retry-After': '1' },
    });
  });
});
