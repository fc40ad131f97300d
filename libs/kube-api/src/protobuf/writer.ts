/** Writes protobuf messages: only what the OpenAPI documents need (texts, flags, numbers, nested messages). */
export class ProtobufWriter {
  private readonly parts: Buffer[] = [];
  private size = 0;

  /** A text; empty ones are left out. */
  text(number: number, value: string | undefined): this {
    return value ? this.bytes(number, Buffer.from(value, 'utf8')) : this;
  }

  texts(number: number, values: readonly string[] | undefined): this {
    for (const value of values ?? []) this.bytes(number, Buffer.from(value, 'utf8'));
    return this;
  }

  flag(number: number, value: boolean | undefined): this {
    return value ? this.push(varint(number * 8)).push(varint(1)) : this;
  }

  /** Of a choice between fields, where the zero value says which was chosen. */
  chosen(number: number, value: boolean): this {
    return this.push(varint(number * 8)).push(varint(value ? 1 : 0));
  }

  chosenText(number: number, value: string): this {
    return this.bytes(number, Buffer.from(value, 'utf8'));
  }

  double(number: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return this.push(varint(number * 8 + 1)).push(bytes);
  }

  /** A nested message, written even when it is empty. */
  message(number: number, write: (writer: ProtobufWriter) => unknown): this {
    const nested = new ProtobufWriter();
    write(nested);
    return this.bytes(number, nested.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.parts, this.size);
  }

  private bytes(number: number, value: Buffer): this {
    return this.push(varint(number * 8 + 2))
      .push(varint(value.length))
      .push(value);
  }

  private push(part: Buffer): this {
    this.parts.push(part);
    this.size += part.length;
    return this;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
