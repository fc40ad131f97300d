import { Terminal } from './terminal';

/** What a program wrote at once: when, ms from its start, and what. */
export type OutputPiece = [atMs: number, text: string];

/** Characters that are kept of what a run writes: the last ones. */
export const outputMax = 1024 * 1024;

/** What a run has written, bounded. */
export class Output {
  readonly pieces: OutputPiece[] = [];
  private size = 0;
  private dropped = 0;

  /** @param isTerminal behind a terminal each line ends with a carriage return too */
  constructor(private readonly isTerminal: boolean) {}

  add(atMs: number, written: string | Buffer): void {
    const text = this.isTerminal ? Terminal.shown(written.toString()) : written.toString();
    if (text === '') return;
    const last = this.pieces[this.pieces.length - 1];
    if (last?.[0] === atMs && last[1].length < pieceMax) last[1] += text;
    else this.pieces.push([atMs, text]);
    this.size += text.length;
    if (this.size - this.dropped > 2 * outputMax) this.cut();
  }

  /** Drops the oldest pieces, many at once. */
  private cut(): void {
    let count = 0;
    while (this.size - this.dropped > outputMax && count < this.pieces.length - 1)
      this.dropped += (this.pieces[count++] as OutputPiece)[1].length;
    this.pieces.splice(0, count);
  }
}

/** Characters of a piece that more is added to. */
const pieceMax = 4_096;

/** What is shown of a program that goes on where the simulation does not follow it. */
export function notWorking(reason: string): string {
  return `(kubereel: ${reason}: from here on the container goes on as a server)\n`;
}
