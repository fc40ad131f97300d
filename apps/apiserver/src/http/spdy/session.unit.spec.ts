import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { controlFrame, frameTypes } from './frames';
import { dictionary, EmptyHeaders, HeaderReader } from './header-blocks';
import { SpdySession, type BytePipe, type SpdyStream } from './session';
import { SpdyClient } from './spdy-client.fixture';

class Side implements BytePipe {
  readonly streams: SpdyStream[] = [];
  isClosed = false;
  private toServer: (bytes: Buffer) => void = () => undefined;
  readonly client = new SpdyClient((bytes) => this.toServer(bytes));

  constructor(onStream: (stream: SpdyStream) => boolean = () => true) {
    new SpdySession(this, (stream) => {
      this.streams.push(stream);
      return onStream(stream);
    });
  }

  send(bytes: Buffer): void {
    this.toServer(bytes);
  }
  write(bytes: Buffer): void {
    this.client.receive(bytes);
  }
  onBytes(callback: (bytes: Buffer) => void): void {
    // In pieces: frames are not to depend on how their bytes arrive.
    this.toServer = (bytes) => {
      for (let at = 0; at < bytes.length; at += 7) callback(bytes.subarray(at, at + 7));
    };
  }
  onClosed(): void {}
  whenTaken(): Promise<void> {
    return Promise.resolve();
  }
  pause(): void {}
  resume(): void {}
  end(): void {
    this.isClosed = true;
  }
}

describe('headers', () => {
  it('are compressed with the dictionary of SPDY/3', () => {
    expect(createHash('sha256').update(dictionary).digest('hex')).toBe('51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02');
  });

  it('without anything in them can be read one after the other', () => {
    const [blocks, reader] = [new EmptyHeaders(), new HeaderReader()];
    for (let count = 0; count < 3; count++) expect(reader.read(blocks.next()).size).toBe(0);
  });

  it('of a later stream may refer to an earlier one', async () => {
    const side = new Side();
    for (const name of ['stdin', 'stdout', 'stdin', 'error'])
      await side.client.open({ streamtype: name, port: '80', requestid: 'a-long-identifier' });
    expect(side.streams.map(({ headers }) => headers.get('streamtype'))).toEqual(['stdin', 'stdout', 'stdin', 'error']);
    expect(side.streams.every(({ headers }) => headers.get('requestid') === 'a-long-identifier')).toBe(true);
    expect([...side.client.replied]).toEqual([1, 3, 5, 7]);
  });
});

describe('a session', () => {
  it('carries bytes both ways, and ends each way apart', async () => {
    const side = new Side();
    const id = await side.client.open({ streamtype: 'data' });
    const [stream] = side.streams as [SpdyStream];
    side.client.write(id, 'before anybody listens');
    const heard: (string | undefined)[] = [];
    stream.listen((bytes) => heard.push(bytes?.toString()));
    side.client.write(id, 'x'.repeat(100_000), true);
    expect(heard.at(-1)).toBeUndefined();
    expect(heard.join('')).toBe(`before anybody listens${'x'.repeat(100_000)}`);
    stream.write(Buffer.from('y'.repeat(100_000)));
    stream.end();
    stream.write(Buffer.from('never'));
    expect(side.client.received.get(id)).toBe('y'.repeat(100_000));
    expect(side.client.ended.has(id)).toBe(true);
  });

  it('answers pings, refuses streams, and more of them than may be', async () => {
    const side = new Side(({ headers }) => headers.get('streamtype') !== 'odd');
    side.client.ping();
    expect(side.client.received.get(0)).toBe('pong');
    expect(side.client.reset.has(await side.client.open({ streamtype: 'odd' }))).toBe(true);
    for (let count = 0; count < 1_000; count++) await side.client.open({ streamtype: 'data' });
    expect(side.client.reset.size).toBe(1);
    expect(side.client.reset.has(await side.client.open({ streamtype: 'data' }))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['another version', Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ['a long control frame', Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
    ['headers that are none', controlFrame(frameTypes.synStream, 0, Buffer.alloc(40, 0xff))],
    ['a stream without a number', controlFrame(frameTypes.synStream, 0, Buffer.alloc(2))],
  ])('is over with %s', (_, bytes) => {
    const side = new Side();
    side.send(bytes);
    expect(side.isClosed).toBe(true);
  });
});
