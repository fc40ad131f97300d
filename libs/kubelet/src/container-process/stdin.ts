import { InterruptError, wantsInput, type Part, type Process } from './process';

const newline = 10;
const nothing = Buffer.alloc(0);

/** The input that programs of one shell read one after the other. */
export class Stdin {
  private rest: Buffer = nothing;
  /** Times that somebody has read. */
  taken = 0;

  private constructor(private readonly source: () => Part<Buffer | undefined>) {}

  /** Nobody gives anything: it is at its end. */
  static none(): Stdin {
    return new Stdin(function* () {
      yield* [];
      return undefined;
    });
  }

  /** Whoever runs the program gives it. */
  static given(): Stdin {
    let isOver = false;
    return new Stdin(function* () {
      if (isOver) return undefined;
      const given = yield wantsInput;
      if (given === 'interrupt') throw new InterruptError();
      if (given instanceof Buffer) return given;
      isOver = true;
      return undefined;
    });
  }

  static of(text: string | Buffer): Stdin {
    const stdin = Stdin.none();
    stdin.rest = Buffer.from(text);
    return stdin;
  }

  /** What another program writes; it goes on as far as it is read. */
  static from(process: Process): Stdin {
    return new Stdin(function* () {
      let given;
      for (;;) {
        const { done, value } = process.next(given);
        if (done) return undefined;
        if ('out' in value) return Buffer.from(value.out);
        given = yield value;
      }
    });
  }

  /** The next bytes; undefined at the end. */
  *chunk(): Part<Buffer | undefined> {
    this.taken++;
    if (this.rest.length === 0) return yield* this.source();
    const bytes = this.rest;
    this.rest = nothing;
    return bytes;
  }

  /** The next line with its end; undefined at the end. */
  *line(): Part<string | undefined> {
    this.taken++;
    for (;;) {
      const end = this.rest.indexOf(newline);
      if (end >= 0) {
        const line = this.rest.subarray(0, end + 1);
        this.rest = this.rest.subarray(end + 1);
        return line.toString('utf8');
      }
      const more = yield* this.source();
      if (more === undefined) {
        const last = this.rest.toString('utf8');
        this.rest = nothing;
        return last === '' ? undefined : last;
      }
      this.rest = Buffer.concat([this.rest, more]).subarray(0, lineMax);
    }
  }

  /** Everything that is left. @param bytesMax what is beyond it is dropped */
  *all(bytesMax = inputMax): Part<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for (let bytes = yield* this.chunk(); bytes !== undefined; bytes = yield* this.chunk()) {
      if (length < bytesMax) chunks.push(bytes);
      length += bytes.length;
    }
    return Buffer.concat(chunks).subarray(0, bytesMax);
  }
}

/** Bytes of a line that is not ended. */
const lineMax = 32 * 1024;
/** Bytes of an input that is read as a whole: as much as a file may hold. */
const inputMax = 16 * 1024 * 1024;
