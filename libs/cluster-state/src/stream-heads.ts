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

  get(stream: string): StreamHead | undefined {
    return this.there.get(stream) ?? this.gone.get(stream);
  }

  set(stream: string, head: StreamHead): void {
    this.there.set(stream, head);
  }

  /** What the stream is about is gone. */
  bury(stream: string): void {
    const head = this.there.get(stream);
    if (head && this.gone.set(stream, head)) this.there.delete(stream);
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
const rowsFirst = 64;
const rowsPerChunk = 512;

/** Rows in the order in which they were put in, and a table of their numbers by key. Nothing is ever taken out. */
class PackedHeads {
  private rows = Buffer.alloc(rowsFirst * rowBytes);
  /** Number of a row, from 1, at the place that its key asks for or the next free one; 0: free. Half of it is free. */
  private places = new Uint32Array(rowsFirst * 2);
  size = 0;

  /** Whether it could be put in: a head that is not of our form cannot. */
  set(stream: string, { revision, digest }: StreamHead): boolean {
    if (!digestForm.test(digest) || revision > revisionMax) return false;
    const key = keyOf(stream);
    const at = this.rowAt(key) ?? this.add(key);
    this.rows.writeUInt32LE(revision, at + keyBytes);
    this.rows.write(digest, at + keyBytes + revisionBytes, digestBytes, 'latin1');
    return true;
  }

  get(stream: string): StreamHead | undefined {
    if (this.size === 0) return undefined;
    const at = this.rowAt(keyOf(stream));
    if (at === undefined) return undefined;
    const from = at + keyBytes + revisionBytes;
    return { revision: this.rows.readUInt32LE(at + keyBytes), digest: this.rows.toString('latin1', from, from + digestBytes) };
  }

  chunks(): string[] {
    const chunks: string[] = [];
    for (let row = 0; row < this.size; row += rowsPerChunk) {
      chunks.push(this.rows.toString('base64', row * rowBytes, Math.min(this.size, row + rowsPerChunk) * rowBytes));
    }
    return chunks;
  }

  addChunk(chunk: string): void {
    const rows = Buffer.from(chunk, 'base64');
    for (let from = 0; from < rows.length; from += rowBytes) {
      const at = this.add(rows.subarray(from, from + keyBytes));
      rows.copy(this.rows, at, from, from + rowBytes);
    }
  }

  /** Where the row of the key begins. */
  private rowAt(key: Buffer): number | undefined {
    for (let place = this.placeOf(key); ; place = (place + 1) % this.places.length) {
      const row = this.places[place] as number;
      if (row === 0) return undefined;
      const at = (row - 1) * rowBytes;
      if (this.rows.compare(key, 0, keyBytes, at, at + keyBytes) === 0) return at;
    }
  }

  /** A new row with the key; gives where it begins. */
  private add(key: Buffer): number {
    if ((this.size + 1) * rowBytes > this.rows.length) this.grow();
    const at = this.size * rowBytes;
    key.copy(this.rows, at, 0, keyBytes);
    this.place(key, ++this.size);
    return at;
  }

  private place(key: Buffer, row: number): void {
    let place = this.placeOf(key);
    while (this.places[place] !== 0) place = (place + 1) % this.places.length;
    this.places[place] = row;
  }

  private placeOf(key: Buffer): number {
    return key.readUInt32LE(0) % this.places.length;
  }

  private grow(): void {
    const rows = Buffer.alloc(this.rows.length * 2);
    this.rows.copy(rows);
    this.rows = rows;
    this.places = new Uint32Array(this.places.length * 2);
    for (let row = 0; row < this.size; row++) this.place(rows.subarray(row * rowBytes, row * rowBytes + keyBytes), row + 1);
  }
}

function keyOf(stream: string): Buffer {
  return hash('sha256', stream, 'buffer');
}
