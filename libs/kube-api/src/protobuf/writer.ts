/** Writes protobuf messages: only what the OpenAPI documents need (texts, flags, numbers, nested messages). All of it goes into one buffer. */
export class ProtobufWriter {
  private buffer = Buffer.allocUnsafe(4_096);
  private size = 0;

  /** A text; empty ones are left out. */
  text(number: number, value: string | undefined): this {
    return value ? this.chosenText(number, value) : this;
  }

  texts(number: number, values: readonly string[] | undefined): this {
    for (const value of values ?? []) this.chosenText(number, value);
    return this;
  }

  flag(number: number, value: boolean | undefined): this {
    return value ? this.chosen(number, true) : this;
  }

  /** Of a choice between fields, where the zero value says which was chosen. */
  chosen(number: number, value: boolean): this {
    return this.varint(number * 8).varint(value ? 1 : 0);
  }

  chosenText(number: number, value: string): this {
    const length = Buffer.byteLength(value);
    this.varint(number * 8 + 2).varint(length);
    this.makeRoom(length);
    this.size += this.buffer.write(value, this.size);
    return this;
  }

  double(number: number, value: number): this {
    this.varint(number * 8 + 1);
    this.makeRoom(8);
    this.size = this.buffer.writeDoubleLE(value, this.size);
    return this;
  }

  /** A nested message, written even when it is empty. Its length stands before it and is known after it: most fit into one byte. */
  message(number: number, write: (writer: ProtobufWriter) => unknown): this {
    this.varint(number * 8 + 2);
    const place = this.size;
    this.makeRoom(1);
    this.size++;
    write(this);
    const end = this.size;
    const length = end - place - 1;
    const more = lengthOfVarint(length) - 1;
    if (more > 0) {
      this.makeRoom(more);
      this.buffer.copyWithin(place + 1 + more, place + 1, end);
    }
    this.size = place;
    this.varint(length);
    this.size = end + more;
    return this;
  }

  finish(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.size));
  }

  private varint(value: number): this {
    this.makeRoom(10);
    let rest = value;
    while (rest > 0x7f) {
      this.buffer[this.size++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.buffer[this.size++] = rest;
    return this;
  }

  private makeRoom(bytes: number): void {
    if (this.size + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.size + bytes));
    this.buffer.copy(larger, 0, 0, this.size);
    this.buffer = larger;
  }
}

function lengthOfVarint(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
  return length;
}
