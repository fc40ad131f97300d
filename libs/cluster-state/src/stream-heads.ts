import { hash } from 'node:crypto';

/** Where a stream stands: what the next append to it has to expect and to follow. */
export interface StreamHead {
  revision: number;
  digest: string;
}

/**
 * The heads of all streams there ever were. Whatever is deleted may be created again and goes on in its stream, so none is forgotten; those
 * of streams whose objects are gone, in time most of them, take 50 bytes each.
 */
export class StreamHeads {
  private readonly there = new Map<string, StreamHead>();
  private readonly gone = new PackedHeads();
  private keepsGone: (stream: string) => boolean = () => true;

  /** For whoever only reads the log and appends to no stream: of streams whose objects are gone, those that the answer is true of are kept. */
  keepGone(keepsGone: (stream: string) => boolean): void {
    this.keepsGone = keepsGone;
  }

  get(stream: string): StreamHead | undefined {
    return this.there.get(stream) ?? this.gone.get(stream);
  }

  set(stream: string, head: StreamHead): void {
    this.there.set(stream, head);
  }

  /** What the stream is about is gone. */
  bury(stream: string): void {
    const head = this.there.get(stream);
    if (head && (!this.keepsGone(stream) || this.gone.set(stream, head))) this.there.delete(stream);
  }

  /** How many there are; one that was buried and has come back may count twice. */
  get size(): number {
    return this.there.size + this.gone.size;
  }

  entries(): [stream: string, head: StreamHead][] {
    return [...this.there];
  }

  /** Those that are buried, as text. */
  buried(): string[] {
    return this.gone.chunks();
  }

  restoreBuried(chunks: readonly string[]): void {
    for (const chunk of chunks) this.gone.addChunk(chunk);
  }
}

/** A name is known by so much of its SHA-256. */
const keyBytes = 16;
const revisionBytes = 4;
/** Characters of a digest (`digestOf`). */
const digestBytes = 22;
const rowBytes = keyBytes + revisionBytes + digestBytes;
const digestForm = /^[\w-]{22}$/;
const revisionMax = 2 ** 32 - 1;
/** Rows of a block: a log of millions of events has hundreds of thousands of them, in few pieces. What is not filled takes no memory. */
const rowsPerChunk = 8_192;
const placesFirst = 128;

/**
 * Rows in the order in which they were put in, and a table of their numbers by key. Nothing is ever taken out, and no row is ever copied: a
 * table of hundreds of thousands takes no more than its rows while it grows.
 */
class PackedHeads {
  private readonly rows: Buffer[] = [];
  /** Number of a row, from 1, at the place that its key asks for or the next free one; 0: free. Half of it is free, at least. */
  private places = new Uint32Array(placesFirst);
  size = 0;

  /** Whether it could be put in: a head that is not of our form cannot. */
  set(stream: string, { revision, digest }: StreamHead): boolean {
    if (!digestForm.test(digest) || revision > revisionMax) return false;
    const key = keyOf(stream);
    const row = this.rowOf(key) ?? this.add(key);
    row.writeUInt32LE(revision, keyBytes);
    row.write(digest, keyBytes + revisionBytes, digestBytes, 'latin1');
    return true;
  }

  get(stream: string): StreamHead | undefined {
    if (this.size === 0) return undefined;
    const row = this.rowOf(keyOf(stream));
    return row && { revision: row.readUInt32LE(keyBytes), digest: row.toString('latin1', keyBytes + revisionBytes, rowBytes) };
  }

  chunks(): string[] {
    return this.rows.map((chunk, index) =>
      chunk.toString('base64', 0, Math.min(rowsPerChunk, this.size - index * rowsPerChunk) * rowBytes),
    );
  }

  addChunk(chunk: string): void {
    const rows = Buffer.from(chunk, 'base64');
    for (let from = 0; from < rows.length; from += rowBytes)
      rows.copy(this.add(rows.subarray(from, from + keyBytes)), 0, from, from + rowBytes);
  }

  private row(index: number): Buffer {
    const from = (index % rowsPerChunk) * rowBytes;
    return (this.rows[Math.floor(index / rowsPerChunk)] as Buffer).subarray(from, from + rowBytes);
  }

  private rowOf(key: Buffer): Buffer | undefined {
    for (let place = this.placeOf(key); ; place = (place + 1) % this.places.length) {
      const number = this.places[place] as number;
      if (number === 0) return undefined;
      const row = this.row(number - 1);
      if (row.compare(key, 0, keyBytes, 0, keyBytes) === 0) return row;
    }
  }

  /** A new row with the key. */
  private add(key: Buffer): Buffer {
    if (this.size === this.rows.length * rowsPerChunk) this.rows.push(Buffer.alloc(rowsPerChunk * rowBytes));
    if ((this.size + 1) * 2 > this.places.length) this.grow();
    const row = this.row(this.size);
    key.copy(row, 0, 0, keyBytes);
    this.place(row, ++this.size);
    return row;
  }

  private place(key: Buffer, number: number): void {
    let place = this.placeOf(key);
    while (this.places[place] !== 0) place = (place + 1) % this.places.length;
    this.places[place] = number;
  }

  private placeOf(key: Buffer): number {
    return key.readUInt32LE(0) % this.places.length;
  }

  private grow(): void {
    this.places = new Uint32Array(this.places.length * 2);
    for (let index = 0; index < this.size; index++) this.place(this.row(index), index + 1);
  }
}

function keyOf(stream: string): Buffer {
  return hash('sha256', stream, 'buffer');
}
