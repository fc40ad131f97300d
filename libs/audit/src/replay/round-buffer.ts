import { decodeTape, encodeRound, encodeTape, type EncodedRound, type Round } from '#libs/events';

/** So many rounds are packed as one tape. */
const roundsPerTape = 256;
/** Bytes of the first block of tapes; each later one is twice as large, up to a limit: small pieces would lie among what is soon garbage. */
const firstBlockBytes = 4_096;
const blockBytesMax = 1 << 20;
/** In front of each tape stands how many bytes it has. */
const lengthBytes = 4;

/**
 * The rounds of one writer in their order, a few bytes each: those of a log of millions of events are kept from one reading of it to the
 * next.
 */
export class RoundBuffer {
  private readonly blocks: Buffer[] = [];
  private block = Buffer.alloc(0);
  private filled = 0;
  private unpacked: EncodedRound[] = [];
  /** What the first of those is measured from. */
  private base = { position: 0, time: 0 };
  /** How many there are. */
  length = 0;

  push(round: Round): void {
    this.unpacked.push(encodeRound(round));
    this.length++;
    if (this.unpacked.length === roundsPerTape) this.pack();
  }

  /** Makes what has come as small as it can be; more may come. */
  pack(): void {
    const last = this.unpacked[this.unpacked.length - 1];
    if (!last) return;
    const tape = Buffer.from(encodeTape(0, this.unpacked, this.base), 'base64url');
    if (this.filled + lengthBytes + tape.length > this.block.length) this.grow(lengthBytes + tape.length);
    this.block.writeUInt32LE(tape.length, this.filled);
    this.filled += lengthBytes + tape.copy(this.block, this.filled + lengthBytes);
    this.base = { position: last.position, time: last.now };
    this.unpacked = [];
  }

  *read(): Generator<Round, void> {
    this.pack();
    let base = { position: 0, time: 0 };
    for (const block of [...this.blocks, this.block.subarray(0, this.filled)]) {
      for (let at = 0; at < block.length;) {
        const from = at + lengthBytes;
        const to = from + block.readUInt32LE(at);
        const { rounds } = decodeTape(block.toString('base64url', from, to), base);
        yield* rounds;
        const last = rounds[rounds.length - 1] as Round;
        base = { position: last.position, time: last.now };
        at = to;
      }
    }
  }

  private grow(bytesMin: number): void {
    if (this.filled > 0) this.blocks.push(this.block.subarray(0, this.filled));
    const bytes = Math.min(Math.max(firstBlockBytes, this.block.length * 2), blockBytesMax);
    this.block = Buffer.alloc(Math.max(bytes, bytesMin));
    this.filled = 0;
  }
}
