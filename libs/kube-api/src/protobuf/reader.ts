import { nearestInt64 } from '#libs/kernel';
/** Wire types of protobuf. */
export const varintWire = 0;
export const fixed64Wire = 1;
export const bytesWire = 2;
export const fixed32Wire = 5;

/** Thrown for a message that is none; the text is that of upstream's generated code. */
export class ProtobufError extends Error {}

/** Reads one message; nested ones get a reader over their part of the bytes. */
export class ProtobufReader {
  private at: number;
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    start = 0,
    private readonly end = bytes.length,
  ) {
    this.at = start;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Field number and wire type of what follows. */
  tag(): { number: number; wire: number } {
    const tag = Number(this.varint());
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 4) throw new ProtobufError('proto: wiretype end group for non-group');
    if (wire === 6 || wire === 7) throw new ProtobufError(`proto: illegal wireType ${wire}`);
    if (number <= 0) throw new ProtobufError(`proto: illegal tag ${number} (wire type ${wire})`);
    return { number, wire };
  }

  /** Unsigned, up to 64 bits; a number as long as it is exact. */
  varint(): number | bigint {
    let value = 0;
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    let wide = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return wide;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** Signed, in two's complement of 64 bits. */
  integer(): number {
    const value = this.varint();
    return typeof value === 'number' ? value : nearestInt64(Number(BigInt.asIntN(64, value)));
  }

  double(): number {
    this.need(8);
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** A length-delimited part. */
  part(): ProtobufReader {
    const length = Number(this.varint());
    this.need(length);
    const part = new ProtobufReader(this.bytes, this.at, this.at + length);
    this.at += length;
    return part;
  }

  /** All that is left, as bytes. */
  rest(): Buffer {
    const rest = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + this.at, this.end - this.at);
    this.at = this.end;
    return rest;
  }

  skip(wire: number): void {
    if (wire === varintWire) this.varint();
    else if (wire === fixed64Wire) this.advance(8);
    else if (wire === bytesWire) this.part();
    else if (wire === fixed32Wire) this.advance(4);
    else throw new ProtobufError(`proto: illegal wireType ${wire}`);
  }

  private byte(): number {
    this.need(1);
    return this.bytes[this.at++] as number;
  }

  private advance(count: number): void {
    this.need(count);
    this.at += count;
  }

  private need(count: number): void {
    if (this.at + count > this.end) throw new ProtobufError('unexpected EOF');
  }
}
