import { describe, expect, it } from 'vitest';
import { conversionBody, readConversion, type ConversionCall } from './conversion-review';

const widget = (apiVersion: string, metadata: object = {}) => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'n', uid: 'u', labels: { a: 'b' }, generation: 3, ...metadata },
});
const call: ConversionCall = {
  clientConfig: { url: 'https://127.0.0.1/convert' },
  reviewVersions: ['v2', 'v1'],
  from: { group: 'stable.example.com', version: 'v1', kind: 'Widget' },
  desiredAPIVersion: 'stable.example.com/v2',
  object: widget('stable.example.com/v1'),
};
const name = 'conversion webhook for stable.example.com/v1, Kind=Widget';
const answered = (response: object | undefined, kind = 'ConversionReview') =>
  readConversion(call, 'uid-1', { status: 200, body: JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind, response }) });
const converted = (...convertedObjects: object[]) => answered({ uid: 'uid-1', result: { status: 'Success' }, convertedObjects });

describe('a conversion webhook', () => {
  it('is sent the objects and the version that they are wanted in', () => {
    expect(conversionBody(call, 'uid-1')).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'uid-1', desiredAPIVersion: 'stable.example.com/v2', objects: [call.object] },
    });
    expect(conversionBody({ ...call, reviewVersions: ['v9'] }, 'uid-1')).toEqual({ error: 'no supported conversion review versions' });
  });

  it('changes labels and annotations of the metadata, and nothing else of it', () => {
    const made = converted(widget('stable.example.com/v2', { labels: { c: 'd' }, generation: 9, annotations: { e: 'f' } }));
    const { name: own, namespace, uid } = widget('').metadata;
    expect(made).toEqual({
      object: {
        apiVersion: 'stable.example.com/v2',
        kind: 'Widget',
        metadata: { name: own, namespace, uid, generation: 3, labels: { c: 'd' }, annotations: { e: 'f' } },
      },
    });
  });

  it.each<[string, ReturnType<typeof answered>, string]>([
    ['nothing', answered(undefined), `${name} failed: no response provided`],
    ['another uid', answered({ uid: 'x' }), `${name} failed: expected response.uid="uid-1", got "x"`],
    ['a failure', answered({ uid: 'uid-1', result: { status: 'Failure', message: 'cannot' } }), `${name} failed: cannot`],
    ['no status', answered({ uid: 'uid-1', result: {} }), `${name} failed: response.result.status was '', not 'Success'`],
    ['too few objects', converted(), `${name} returned 0 objects, expected 1`],
    [
      'the version that it was sent',
      converted(widget('stable.example.com/v1')),
      `${name} returned invalid object at index 0: invalid groupVersion (expected stable.example.com/v2, received stable.example.com/v1)`,
    ],
    [
      'another object',
      converted(widget('stable.example.com/v2', { uid: 'v' })),
      `${name} returned invalid object: must have the same UID: u != v`,
    ],
    ['another kind of answer', answered({}, 'Pod'), `${name} failed: no kind "Pod" is registered for version "apiextensions.k8s.io/v1"`],
  ])('that answers %s converts nothing', (_what, outcome, text) => {
    expect(outcome).toEqual({ error: expect.stringContaining(text) as string });
  });
});
