import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeMessage, ProtobufReader, readEnvelope, releaseKinds, schemaOf, type ResourceKind } from '#libs/kube-api';
import { isStream, type StreamSink } from '../http/answer';
import { ApiFixture } from '../testing/api-fixture.fixture';
import { messageOf } from './protobuf';

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
  await api.configMap('one', { metadata: { labels: { a: 'b' } }, data: { k: 'v' } });
});
afterEach(() => api.close());

const configMaps = '/api/v1/namespaces/default/configmaps';
const accept = 'application/vnd.kubernetes.protobuf,application/json';

/** What an envelope says, and holds. */
function opened(bytes: Buffer): { apiVersion: string; kind: string; object: unknown } {
  const { apiVersion, kind, message } = readEnvelope(bytes);
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const definition = schemaOf({ group, version, kind });
  return { apiVersion, kind, object: definition ? decodeMessage(definition, message) : {} };
}

async function answer(
  method: string,
  target: string,
  headers: Record<string, string> = { accept },
): Promise<{ contentType: string | undefined; status: number; bytes: Buffer }> {
  const handled = await api.handle(method, target, undefined, headers);
  if (!('body' in handled)) throw new Error('a stream');
  return { status: handled.status, contentType: handled.contentType, bytes: Buffer.from(handled.body) };
}

/** The events of a stream of frames: type and object of each. */
function framesOf(bytes: Buffer): { type: string; object: ReturnType<typeof opened> }[] {
  const frames: { type: string; object: ReturnType<typeof opened> }[] = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    const event = new ProtobufReader(bytes, at + 4, at + 4 + bytes.readUInt32BE(at));
    event.tag();
    const type = event.part().rest().toString();
    event.tag();
    const raw = event.part();
    raw.tag();
    frames.push({ type, object: opened(raw.part().rest()) });
  }
  return frames;
}

class Sink implements StreamSink {
  bytes = Buffer.alloc(0) as Buffer;
  waitingBytes = 0;
  private readonly closers: (() => void)[] = [];
  write(bytes: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }
  writeFrames(frames: readonly Buffer[]): void {
    for (const frame of frames) this.write(frame);
  }
  end(): void {
    for (const closer of this.closers.splice(0)) closer();
  }
  abort(): void {}
  onDrained(): void {}
  onClosed(callback: () => void): void {
    this.closers.push(callback);
  }
}

describe('answers in protobuf', () => {
  it('hold what those in JSON hold: objects, lists, metadata alone, refusals', async () => {
    const one = await answer('GET', `${configMaps}/one`);
    expect(one.contentType).toBe('application/vnd.kubernetes.protobuf');
    const { json } = await api.request('GET', `${configMaps}/one`);
    const { kind, apiVersion, ...content } = json;
    expect(opened(one.bytes)).toMatchObject({
      kind,
      apiVersion,
      object: { metadata: { uid: content.metadata.uid, labels: { a: 'b' } }, data: { k: 'v' } },
    });
    const list = await answer('GET', configMaps);
    expect(opened(list.bytes)).toMatchObject({
      kind: 'ConfigMapList',
      object: { items: expect.arrayContaining([expect.objectContaining({ data: { k: 'v' } })]) },
    });
    const refused = await answer('GET', `${configMaps}/none`);
    expect(refused.status).toBe(404);
    expect(opened(refused.bytes)).toMatchObject({ kind: 'Status', object: { reason: 'NotFound', details: { name: 'none' } } });
    const partial = await answer('GET', configMaps, {
      accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(opened(partial.bytes)).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(partial.bytes.toString('latin1')).toContain('one');
  });

  it('are JSON where there is no message: Tables, discovery', async () => {
    const table = 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1';
    expect((await answer('GET', configMaps, { accept: table })).contentType).toBe('application/json');
    expect((await answer('GET', '/api/v1')).contentType).toBe('application/json');
  });

  it('of watches are frames with their length before them: events, bookmarks, errors', async () => {
    const handled = await api.handle('GET', `${configMaps}?watch=1&allowWatchBookmarks=1`, undefined, { accept });
    if (!isStream(handled)) throw new Error('no stream');
    expect(handled.contentType).toBe('application/vnd.kubernetes.protobuf;stream=watch');
    const sink = new Sink();
    handled.open(sink);
    await api.configMap('two', { data: { x: 'y' } });
    sink.end();
    const frames = framesOf(sink.bytes);
    expect(frames.map(({ type }) => type)).toContain('BOOKMARK');
    expect(frames.at(-1)).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', apiVersion: 'v1', object: { metadata: { name: 'two' }, data: { x: 'y' } } },
    });
    const late = await api.handle(
      'GET',
      `${configMaps}?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&resourceVersion=99999999`,
      undefined,
      { accept },
    );
    const refused = new Sink();
    if (isStream(late)) late.open(refused);
    expect(framesOf(refused.bytes)).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', object: { code: 504 } } }]);
  });
});

it("keeps an object's message without the pool that it was made in", () => {
  const kind = releaseKinds.kindOf('configmaps') as ResourceKind;
  const object = {
    metadata: { name: 'small', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  };
  const message = messageOf(kind, object);
  expect(messageOf(kind, object)).toBe(message);
  expect(message.buffer.byteLength).toBeLessThanOrEqual(2 * message.length);
});
