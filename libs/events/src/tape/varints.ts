/** Unsigned integers below 2⁵³, seven bits a byte, the lowest first. */
export class VarintWriter {
  readonly bytes: number[] = [];

  put(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.bytes.push(rest);
  }

  /** Small ones of either sign are short. Below 2⁵² in size. */
  putSigned(value: number): void {
    this.put(value < 0 ? -2 * value - 1 : 2 * value);
  }

  putText(text: string): void {
    const encoded = Buffer.from(text, 'utf8');
    this.put(encoded.length);
    for (const byte of encoded) this.bytes.push(byte);
  }
}

/** What was read is not what a writer of ours writes. */
export class TapeError extends Error {
  override name = 'TapeError';
}

export class VarintReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** @throws TapeError */
  take(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new TapeError('a tape ends in the middle of a number');
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new TapeError('a number of a tape is too large');
      if (byte < 0x80) return value;
    }
  }

  takeSigned(): number {
    const value = this.take();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  takeText(): string {
    const length = this.take();
    if (length > this.bytes.length - this.at) throw new TapeError('a tape ends in the middle of a text');
    const text = Buffer.from(this.bytes.subarray(this.at, this.at + length)).toString('utf8');
    this.at += length;
    return text;
  }
}
