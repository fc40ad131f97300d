import { gunzipSync, inflateSync } from 'node:zlib';
import { code, StatusError } from './status';

/** One byte that tells whether the message is compressed, four of its length. */
export const HEAD_BYTES = 5;

const DECOMPRESS: Readonly<Record<string, typeof gunzipSync | undefined>> = { gzip: gunzipSync, deflate: inflateSync };
/** What this reader takes, as a header tells it. */
export const ENCODINGS = 'identity,deflate,gzip';

/** Cuts what comes in on a call into messages. */
export class MessageReader {
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  /** Bytes that the message under way needs before it can be looked at again. */
  private wanted = HEAD_BYTES;

  constructor(
    private readonly encoding: string | undefined,
    private readonly bytesMax: number,
  ) {}

  /** Whether a message has begun and not come whole. */
  get midway(): boolean {
    return this.kept > 0;
  }

  /** @throws StatusError for a message that is too large or cannot be decompressed */
  add(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.kept += chunk.length;
    const messages: Buffer[] = [];
    if (this.kept < this.wanted) return messages;
    let bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.kept);
    while (bytes.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + this.lengthOf(bytes);
      if (bytes.length < end) {
        this.wanted = end;
        break;
      }
      messages.push(bytes[0] === 1 ? this.decompressed(bytes.subarray(HEAD_BYTES, end)) : bytes.subarray(HEAD_BYTES, end));
      bytes = bytes.subarray(end);
      this.wanted = HEAD_BYTES;
    }
    this.chunks.length = 0;
    if (bytes.length > 0) this.chunks.push(bytes);
    this.kept = bytes.length;
    return messages;
  }

  private lengthOf(bytes: Buffer): number {
    const length = bytes.readUInt32BE(1);
    if (length > this.bytesMax) throw tooLarge();
    return length;
  }

  private decompressed(bytes: Buffer): Buffer {
    const decompress = DECOMPRESS[this.encoding ?? ''];
    if (!decompress) {
      const details = `messages compressed as ${this.encoding ?? 'nothing that the call names'} are not read`;
      throw new StatusError({ code: code.UNIMPLEMENTED, details, trailers: { 'grpc-accept-encoding': ENCODINGS } });
    }
    try {
      return decompress(bytes, { maxOutputLength: this.bytesMax });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new StatusError({ code: code.INTERNAL, details: `a message cannot be decompressed: ${(error as Error).message}` });
    }
  }
}

function tooLarge(): StatusError {
  return new StatusError({ code: code.RESOURCE_EXHAUSTED, details: 'Received message exceeds the maximum configured message size.' });
}
