import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MessageReader } from './message-reader';
import { StatusError } from './status';

function framed(text: string, compressed?: Buffer): Buffer {
  const body = compressed ?? Buffer.from(text);
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

const texts = (messages: Buffer[]): string[] => messages.map((message) => message.toString());

function codeOf(work: () => unknown): number | undefined {
  try {
    work();
  } catch (error) {
    return (error as StatusError).status.code;
  }
  return undefined;
}

describe('messages of a call', () => {
  it('come whole, however they are cut', () => {
    const all = Buffer.concat(['first', '', 'x'.repeat(300), 'last'].map((text) => framed(text)));
    for (const size of [1, 2, 7, 64, all.length]) {
      const reader = new MessageReader(undefined, 1000);
      const read: string[] = [];
      for (let at = 0; at < all.length; at += size) read.push(...texts(reader.add(all.subarray(at, at + size))));
      expect(read).toEqual(['first', '', 'x'.repeat(300), 'last']);
      expect(reader.midway).toBe(false);
    }
    const cut = new MessageReader(undefined, 1000);
    cut.add(all.subarray(0, 7));
    expect(cut.midway).toBe(true);
  });

  it('may be compressed', () => {
    expect(texts(new MessageReader('gzip', 1000).add(framed('', gzipSync('hello'))))).toEqual(['hello']);
    expect(texts(new MessageReader('deflate', 1000).add(framed('', deflateSync('hello'))))).toEqual(['hello']);
    expect(texts(new MessageReader('gzip', 1000).add(framed('plain')))).toEqual(['plain']);
    expect(codeOf(() => new MessageReader('br', 1000).add(framed('', Buffer.from('x'))))).toBe(12);
    expect(codeOf(() => new MessageReader('gzip', 1000).add(framed('', Buffer.from('no gzip'))))).toBe(13);
  });

  it('are bounded, compressed or not', () => {
    expect(codeOf(() => new MessageReader(undefined, 10).add(framed('x'.repeat(11)).subarray(0, 6)))).toBe(8);
    expect(codeOf(() => new MessageReader('gzip', 1000).add(framed('', gzipSync('x'.repeat(100_000)))))).toBe(8);
  });
});
