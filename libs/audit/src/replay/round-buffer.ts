import { decodeTape, encodeRound, encodeTape, type EncodedRound, type Round } from '#libs/events';

/** So many rounds are packed as one tape. */
const roundsPerBlock = 256;

/**
 * The rounds of one writer in their order, a few bytes each: those of a log of millions of events are kept from one reading of it to the
 * next.
 */
export class RoundBuffer {
  private readonly blocks: Buffer[] = [];
  private unpacked: EncodedRound[] = [];
  /** What the first of those is measured from. */
  private base = { position: 0, time: 0 };
  /** How many there are. */
  length = 0;

  push(round: Round): void {
    this.unpacked.push(encodeRound(round));
    this.length++;
    if (this.unpacked.length === roundsPerBlock) this.pack();
  }

  /** Makes what has come as small as it can be; more may come. */
  pack(): void {
    const last = this.unpacked[this.unpacked.length - 1];
    if (!last) return;
    this.blocks.push(Buffer.from(encodeTape(0, this.unpacked, this.base), 'base64url'));
    this.base = { position: last.position, time: last.now };
    this.unpacked = [];
  }

  *read(): Generator<Round, void> {
    this.pack();
    let base = { position: 0, time: 0 };
    for (const block of this.blocks) {
      const { rounds } = decodeTape(block.toString('base64url'), base);
      yield* rounds;
      const last = rounds[rounds.length - 1] as Round;
      base = { position: last.position, time: last.now };
    }
  }
}
