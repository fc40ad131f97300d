import { once } from 'node:events';
import { constants, createDeflate } from 'node:zlib';
import { controlFrame, dataFrames, FrameReader, finFlag, frameTypes } from './frames';
import { dictionary } from './header-blocks';

/** A client of SPDY/3.1 whose headers run through one compressed stream, as those of Go's clients do. */
export class SpdyClient {
  /** What came on each stream. */
  readonly received = new Map<number, string>();
  readonly ended = new Set<number>();
  readonly reset = new Set<number>();
  readonly replied = new Set<number>();
  private readonly deflate = createDeflate({ dictionary });
  private readonly reader: FrameReader;
  private nextId = 1;
  private changed: () => void = () => undefined;

  constructor(private readonly send: (bytes: Buffer) => void) {
    this.reader = new FrameReader({
      onControl: (type, _flags, payload) => {
        if (type === frameTypes.synReply) this.replied.add(payload.readUInt32BE(0));
        if (type === frameTypes.rstStream) this.reset.add(payload.readUInt32BE(0));
        if (type === frameTypes.ping) this.received.set(0, 'pong');
      },
      onData: (id, bytes, isLast) => {
        this.received.set(id, (this.received.get(id) ?? '') + bytes.toString());
        if (isLast) this.ended.add(id);
      },
    });
  }

  receive(bytes: Buffer): void {
    this.reader.push(bytes);
    this.changed();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.changed = resolve));
  }

  async open(headers: Record<string, string>, isLast = false): Promise<number> {
    const id = this.nextId;
    this.nextId += 2;
    const numbers = Buffer.alloc(10);
    numbers.writeUInt32BE(id);
    this.send(controlFrame(frameTypes.synStream, isLast ? finFlag : 0, Buffer.concat([numbers, await this.block(headers)])));
    return id;
  }

  write(id: number, text: string, isLast = false): void {
    this.send(dataFrames(id, Buffer.from(text), isLast));
  }

  ping(): void {
    this.send(controlFrame(frameTypes.ping, 0, Buffer.from([0, 0, 0, 1])));
  }

  private async block(headers: Record<string, string>): Promise<Buffer> {
    const size = (length: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(length);
      return bytes;
    };
    const texts = Object.entries(headers).flatMap((pair) => pair.flatMap((text) => [size(text.length), Buffer.from(text)]));
    this.deflate.write(Buffer.concat([size(Object.keys(headers).length), ...texts]));
    this.deflate.flush(constants.Z_SYNC_FLUSH);
    if (this.deflate.readableLength === 0) await once(this.deflate, 'readable');
    await new Promise((resolve) => this.deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(undefined)));
    return this.deflate.read() as Buffer;
  }
}
