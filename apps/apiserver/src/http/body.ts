import type { Readable } from 'node:stream';

/** Largest request body, bytes (upstream: 3 MiB). */
export const bodyMax = 3 * 1024 * 1024;
/** What is read and thrown away of a body over the limit, so that its sender gets to see the answer. */
const discardMax = 32 * 1024 * 1024;

export type ReadBody = { kind: 'read'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'broken' } | { kind: 'too-slow' };

/** Reads a request's body within `withinMs`, never keeping more than `bodyMax` of it. */
export function readBody(stream: Readable, withinMs: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => done({ kind: 'too-slow' }), withinMs);
    const done = (result: ReadBody): void => {
      clearTimeout(timer);
      stream.removeAllListeners('data');
      resolve(result);
    };
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyMax) chunks.push(chunk);
      else {
        chunks = [];
        if (size > discardMax) done({ kind: 'too-large' });
      }
    });
    stream.once('end', () => done(size > bodyMax ? { kind: 'too-large' } : { kind: 'read', bytes: Buffer.concat(chunks, size) }));
    stream.once('error', () => done({ kind: 'broken' }));
    stream.once('close', () => done({ kind: 'broken' }));
  });
}
