import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { contradictions } from './check-answers';
import { livesOf, type Frame } from './history';
import { markAnnotation, type Operation, type Verb } from './recorded-operation';

interface Shape {
  mark?: string;
  finalizers?: string[];
  deleting?: number;
  node?: string;
}

function object(version: number, { mark = 'create-1', finalizers, deleting, node }: Shape = {}): KubeObject {
  const marks = deleting === undefined ? {} : { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: deleting };
  const metadata = { name: 'a', uid: 'u', resourceVersion: String(version), annotations: { [markAnnotation]: mark }, finalizers, ...marks };
  return { metadata, ...(node ? { spec: { nodeName: node } } : {}) } as unknown as KubeObject;
}

const frame = (type: Frame['type'], version: number, shape?: Shape): Frame => ({ type, object: object(version, shape) });

let place = 0;
/** One after the other, unless `sent` says otherwise. */
function answer(verb: Verb, code: number, body: unknown, more: Partial<Operation> = {}): Operation {
  const sent = ++place;
  return { verb, key: 'pods/a', mark: `${verb}-${sent}`, sent, answered: ++place, code, body, tookMs: 1, ...more };
}

function check(frames: Frame[], ...operations: Operation[]): string[] {
  return contradictions(operations, livesOf('pods', frames));
}

const created = (shape?: Shape): Operation => answer('create', 201, object(16, { ...shape }));
const gone = { kind: 'Status', details: { uid: 'u' } };

describe('the check of answers against a history', () => {
  it('finds nothing where every answer fits', () => {
    const frames = [frame('ADDED', 16), frame('MODIFIED', 32, { mark: 'p' }), frame('DELETED', 48, { mark: 'p' })];
    const patch = answer('patch', 200, object(32, { mark: 'p' }), { mark: 'p', sent: 3, answered: 4 });
    place = 4;
    expect(check(frames, { ...created(), sent: 1, answered: 2 }, patch, answer('delete', 200, gone), answer('get', 404, {}))).toEqual([]);
  });

  it('finds a deletion that was answered 404', () => {
    const frames = [frame('ADDED', 16), frame('DELETED', 32)];
    expect(check(frames, created(), answer('delete', 404, {}))).toEqual([expect.stringMatching(/gone at 32, though no delete/)]);
  });

  it('finds a 404 for an object that was there all the time', () => {
    expect(check([frame('ADDED', 16)], created(), answer('get', 404, {}))).toEqual([expect.stringMatching(/there all the time/)]);
  });

  it('finds a read of a version that was known to be over', () => {
    const frames = [frame('ADDED', 16), frame('MODIFIED', 32, { mark: 'p' })];
    const operations = [created(), answer('patch', 200, object(32, { mark: 'p' }), { mark: 'p' }), answer('get', 200, object(16))];
    expect(check(frames, ...operations)).toEqual([expect.stringMatching(/version 16 is of another time/)]);
  });

  it('finds a patch that was refused and done all the same, and one that was lost', () => {
    const frames = [frame('ADDED', 16), frame('MODIFIED', 32, { mark: 'p' })];
    expect(check(frames, created(), answer('patch', 409, {}, { mark: 'p' }))).toEqual([expect.stringMatching(/done all the same/)]);
    expect(check([frame('ADDED', 16)], created(), answer('patch', 200, object(32, { mark: 'p' }), { mark: 'p' }))).toEqual([
      expect.stringMatching(/version 32 is none of the object's/),
    ]);
  });

  it('finds an object gone though a finalizer held it', () => {
    const held = { finalizers: ['x'], deleting: 0 };
    const frames = [frame('ADDED', 16, { finalizers: ['x'] }), frame('MODIFIED', 32, held), frame('DELETED', 48, held)];
    const operations = [created({ finalizers: ['x'] }), answer('delete', 200, object(32, held))];
    expect(check(frames, ...operations)).toEqual([expect.stringMatching(/gone at 48, though held by x/)]);
    const freed = answer('patch', 200, object(32, held), { finalizers: [] });
    expect(check(frames, ...operations, freed)).toEqual([]);
  });

  it('finds a bound pod that lost its grace', () => {
    const frames = [frame('ADDED', 16), frame('MODIFIED', 32, { node: 'n' }), frame('DELETED', 48, { node: 'n' })];
    const found = check(frames, created(), answer('delete', 200, object(48, { node: 'n', deleting: 0 })));
    expect(found).toEqual([expect.stringMatching(/bound with a grace that never began/)]);
  });

  it('says nothing about requests that had no answer, but takes them for what they may have done', () => {
    const frames = [frame('ADDED', 16), frame('DELETED', 32)];
    expect(check(frames, created(), answer('delete', 0, undefined, { answered: Infinity }))).toEqual([]);
  });

  it('refuses frames that are no history', () => {
    expect(() => livesOf('pods', [frame('MODIFIED', 16)])).toThrow(/not there/);
    expect(() => livesOf('pods', [frame('ADDED', 16), frame('ADDED', 32)])).toThrow(/there already/);
    expect(() => livesOf('pods', [frame('ADDED', 16), frame('MODIFIED', 16)])).toThrow(/after 16/);
  });
});
