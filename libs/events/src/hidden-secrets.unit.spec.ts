import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import { withHiddenSecrets } from './hidden-secrets';

const stream = 'local.secrets-default/s';
const hidden = /^<\d+ bytes?, [0-9a-f]{8}>$/;
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const shown = (data: object, on = stream) =>
  withHiddenSecrets({ stream: on, data: data as JsonObject, metadata: { digest: 'd', actor: 'a' } });

describe('a Secret in an event', () => {
  it('shows its keys, and of each value the length and a mark', () => {
    const annotations = { [annotation]: '{"data":{"a":"aHVudGVyMg=="}}', plain: 'kept' };
    const object = {
      kind: 'Secret',
      metadata: { name: 's', annotations },
      type: 'Opaque',
      data: { a: 'aHVudGVyMg==' },
      stringData: { b: 'hunter2' },
    };
    const { data, metadata } = shown({ object });
    expect(data).toEqual({
      object: {
        ...object,
        metadata: { name: 's', annotations: { [annotation]: expect.stringMatching(hidden), plain: 'kept' } },
        data: { a: expect.stringMatching(/^<7 bytes, /) },
        stringData: { b: expect.stringMatching(/^<7 bytes, /) },
      },
    });
    expect(metadata).toEqual({ actor: 'a' });
    expect(JSON.stringify(data)).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  it.each([
    [['data', 'a'], 'aHVudGVyMg=='],
    [['data'], { a: 'aHVudGVyMg==' }],
    [['stringData', 'a'], 'hunter2'],
    [['metadata', 'annotations', annotation], 'hunter2'],
    [['metadata', 'annotations'], { [annotation]: 'hunter2' }],
    [['metadata'], { annotations: { [annotation]: 'hunter2' } }],
    [[], { data: { a: 'aHVudGVyMg==' }, metadata: { annotations: { [annotation]: 'hunter2' } } }],
  ])('hides what a change puts at %j', (p, v) => {
    const { data } = shown({ changes: [{ p, v }, { p: ['data', 'gone'] }, { p: ['metadata', 'labels', 'x'], v: 'kept' }] });
    expect(JSON.stringify(data)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(data.changes).toEqual([{ p, v: expect.anything() }, { p: ['data', 'gone'] }, { p: ['metadata', 'labels', 'x'], v: 'kept' }]);
  });

  it.each([
    ['/data/a', 'aHVudGVyMg=='],
    ['/data', { a: 'aHVudGVyMg==' }],
    [`/metadata/annotations/${annotation.replaceAll('/', '~1')}`, 'hunter2'],
    ['/metadata', { annotations: { [annotation]: 'hunter2' } }],
    ['', { data: { a: 'aHVudGVyMg==' } }],
  ])('hides what a patch puts at "%s"', (path, value) => {
    const others = [
      { op: 'remove', path: '/data/gone' },
      { op: 'replace', path: '/metadata/labels/x', value: 'kept' },
    ];
    const { data } = shown({ patch: [{ op: 'add', path, value }, ...others] });
    expect(JSON.stringify(data)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(data.patch).toEqual([{ op: 'add', path, value: expect.anything() }, ...others]);
  });

  it('has the same mark for the same value, on its own stream only', () => {
    const markOf = (value: string, on?: string) =>
      (shown({ changes: [{ p: ['data', 'a'], v: value }] }, on).data.changes as unknown as { v: string }[])[0]?.v;
    expect(markOf('YQ==')).toBe(markOf('YQ=='));
    expect(markOf('YQ==')).not.toBe(markOf('Yg=='));
    expect(markOf('YQ==')).not.toBe(markOf('YQ==', 'local.secrets-default/other'));
  });

  it('is no ConfigMap, whose event is shown as it is', () => {
    const event = { stream: 'local.configmaps-default/secrets-s', data: { object: { data: { a: 'b' } } }, metadata: {} };
    expect(withHiddenSecrets(event)).toBe(event);
  });

  it('hides what a program has written that read one', () => {
    const output = [[0, 'hunter2\n']];
    const on = 'local.kubelet-decisions/w';
    const { data, metadata } = shown({ container: 'c', output, message: 'hunter2', readsSecrets: true }, on);
    expect(data).toMatchObject({ container: 'c', output: [[0, expect.stringMatching(hidden)]], message: expect.stringMatching(hidden) });
    expect(metadata).toEqual({ actor: 'a' });
    expect(shown({ output }, on).data).toEqual({ output });
  });
});
