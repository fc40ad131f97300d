import { decodeTape, encodeRound, encodeTape, type Round } from '#libs/events';

/** Bytes of the first block; each later one is as large as all before it, up to a limit. */
const firstBlockBytes = 4_096;
const blockBytesMax = 1 << 20;

/**
 * The rounds of one writer in their order, a few bytes each: those of a log of millions of events are kept from one reading of it to the
 * next.
 */
export class RoundBuffer {
  private readonly blocks: Buffer[] = [];
  private block = Buffer.alloc(0);
  private filled = 0;
  private last = { position: 0, time: 0 };
  /** How many there are. */
  length = 0;

  push(round: Round): void {
    const encoded = Buffer.from(encodeTape(0, [encodeRound(round)], this.last), 'base64url');
    const bytes = encoded.length;
    if (this.filled + bytes + 4 > this.block.length) this.grow(bytes + 4);
    this.block.writeUInt32LE(bytes, this.filled);
    encoded.copy(this.block, this.filled + 4);
    this.filled += bytes + 4;
    this.last = { position: round.position, time: round.now };
    this.length++;
  }

  *read(): Generator<Round, void> {
    let base = { position: 0, time: 0 };
    const blocks = [...this.blocks, this.block.subarray(0, this.filled)];
    for (const block of blocks) {
      for (let at = 0; at < block.length;) {
        const bytes = block.readUInt32LE(at);
        const text = block.toString('base64url', at + 4, at + 4 + bytes);
        at += bytes + 4;
        const [round] = decodeTape(text, base).rounds as [Round];
        base = { position: round.position, time: round.now };
        yield round;
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
