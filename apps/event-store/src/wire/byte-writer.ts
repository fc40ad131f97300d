/** Contents below this size are handed over as a copy, so that the buffer can be used again. */
const COPIED_BYTES_MAX = 16 * 1024;

/** Protobuf fields written one after the other into one growing buffer, without objects in between. */
export class ByteWriter {
  private bytes: Buffer;
  length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** What has been written, which is the caller's from then on; the writer begins anew. */
  take(): Buffer {
    const written = this.bytes.subarray(0, this.length);
    this.length = 0;
    if (written.length < COPIED_BYTES_MAX) return Buffer.from(written);
    this.bytes = Buffer.allocUnsafeSlow(this.bytes.length);
    return written;
  }

  /** Room for so many bytes more. */
  ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  byte(value: number): void {
    this.bytes[this.length++] = value;
  }

  uint32At(offset: number, value: number): void {
    this.bytes.writeUInt32BE(value, offset);
  }

  /** A non-negative integer that a number holds exactly. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  varintOf(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.bytes[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.bytes[this.length++] = Number(rest);
  }

  /** Text of which the length in UTF-8 is known. */
  text(value: string, size: number): void {
    if (size === value.length) this.bytes.write(value, this.length, size, 'latin1');
    else this.bytes.write(value, this.length, size, 'utf8');
    this.length += size;
  }

  raw(value: Uint8Array): void {
    this.bytes.set(value, this.length);
    this.length += value.length;
  }
}

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

export function varintSizeOf(value: bigint): number {
  let size = 1;
  for (let rest = BigInt.asUintN(64, value); rest >= 0x80n; rest >>= 7n) size += 1;
  return size;
}
