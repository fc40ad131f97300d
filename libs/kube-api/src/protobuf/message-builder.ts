import { int64Digits } from '#libs/kernel';
/** Bytes that a message may have at first; doubled as it grows. */
const startSize = 1024;

/**
 * Builds a message from its end to its beginning, as upstream's generated code does: the length of what is nested is known when it is
 * written, and nothing is copied.
 */
export class MessageBuilder {
  private buffer = Buffer.allocUnsafe(startSize);
  private start = startSize;

  /** Bytes written so far. */
  get size(): number {
    return this.buffer.length - this.start;
  }

  finish(): Buffer {
    return Buffer.from(this.buffer.subarray(this.start));
  }

  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire);
  }

  /** Of a whole number from 0 to 2^53. */
  varint(value: number): void {
    let length = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
    let at = this.reserve(length);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.buffer[at++] = (rest % 128) | 0x80;
    this.buffer[at] = rest;
  }

  /** In two's complement of 64 bits. */
  integer(value: number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.varint(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(int64Digits(Math.trunc(value))));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Buffer.from(bytes));
  }

  double(value: number): void {
    const at = this.reserve(8);
    this.buffer.writeDoubleLE(value, at);
  }

  /** With its length before it. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    const at = this.reserve(length);
    this.buffer.write(text, at, 'utf8');
    this.varint(length);
  }

  /** With their length before them. */
  bytes(bytes: Buffer): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  private raw(bytes: Buffer): void {
    const at = this.reserve(bytes.length);
    bytes.copy(this.buffer, at);
  }

  /** Where the next bytes go; the buffer may be another one afterwards. */
  private reserve(length: number): number {
    if (length > this.start) {
      const size = this.size;
      const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, size + length));
      this.buffer.copy(grown, grown.length - size, this.start);
      this.start = grown.length - size;
      this.buffer = grown;
    }
    this.start -= length;
    return this.start;
  }
}
