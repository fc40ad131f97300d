/** Types of SPDY/3 control frames that mean something here. */
export const frameTypes = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
export const finFlag = 1;

const version = 3;
const headLength = 8;
/** Longest control frame that is taken, bytes. */
const controlMax = 64 * 1024;
/** Bytes of data in one frame that is sent. */
const dataMax = 32 * 1024;

export interface FrameHandler {
  onControl(type: number, flags: number, payload: Buffer): void;
  /** Data of a stream as it comes in: a long frame in several pieces, `isLast` with its end. */
  onData(stream: number, bytes: Buffer, isLast: boolean): void;
}

interface Head {
  isControl: boolean;
  /** Of a data frame its stream, of a control frame its type. */
  subject: number;
  flags: number;
  /** Bytes of the payload that are still to come. */
  left: number;
}

/** Takes the bytes of a connection apart. Nothing but a control frame is ever kept whole. */
export class FrameReader {
  private bytes: Buffer = Buffer.alloc(0);
  private head: Head | undefined;

  constructor(private readonly handler: FrameHandler) {}

  /** @throws Error for what is not SPDY/3 */
  push(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    while (this.next());
  }

  /** Whether there was enough for a step. */
  private next(): boolean {
    if (!this.head) {
      if (this.bytes.length < headLength) return false;
      this.head = readHead(this.take(headLength));
    }
    const { isControl, subject, flags, left } = this.head;
    if (isControl && this.bytes.length < left) return false;
    if (!isControl && this.bytes.length === 0 && left > 0) return false;
    const payload = this.take(Math.min(left, this.bytes.length));
    this.head.left -= payload.length;
    const isDone = this.head.left === 0;
    if (isDone) this.head = undefined;
    if (isControl) this.handler.onControl(subject, flags, payload);
    else this.handler.onData(subject, payload, isDone && (flags & finFlag) !== 0);
    return true;
  }

  private take(count: number): Buffer {
    const taken = this.bytes.subarray(0, count);
    this.bytes = this.bytes.subarray(count);
    return taken;
  }
}

function readHead(bytes: Buffer): Head {
  const first = bytes.readUInt32BE(0);
  const isControl = first >= 0x80000000;
  const left = bytes.readUIntBE(5, 3);
  if (isControl && ((first >>> 16) & 0x7fff) !== version) throw new Error('no SPDY/3');
  if (isControl && left > controlMax) throw new Error('control frame too long');
  return { isControl, subject: isControl ? first & 0xffff : first, flags: bytes.readUInt8(4), left };
}

export function controlFrame(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(flags * 2 ** 24 + payload.length, 4);
  return Buffer.concat([head, payload]);
}

/** Data of a stream, in as many frames as it takes; the last one ends the stream where that is asked for. */
export function dataFrames(stream: number, bytes: Buffer, isLast: boolean): Buffer {
  const frames: Buffer[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += dataMax) {
    const part = bytes.subarray(start, start + dataMax);
    const head = Buffer.alloc(headLength);
    head.writeUInt32BE(stream, 0);
    head.writeUInt32BE((isLast && start + dataMax >= bytes.length ? finFlag : 0) * 2 ** 24 + part.length, 4);
    frames.push(head, part);
  }
  return Buffer.concat(frames);
}
