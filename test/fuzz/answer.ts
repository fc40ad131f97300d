// Reads HTTP/1.1 answers from the bytes of a connection: fast, and no more forgiving than it has to be.

export interface FuzzAnswer {
  status: number;
  contentType: string;
  /** The server closes the connection behind it. */
  closes: boolean;
  body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

export class AnswerReader {
  private bytes: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): void {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes]);
  }

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The next whole answer. @param isBare it has no body whatever its headers say (HEAD) @param isOver nothing follows */
  next(isBare: boolean, isOver = false): FuzzAnswer | undefined {
    const end = this.bytes.indexOf(headEnd);
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1]);
    if (!(status >= 100)) throw new Error(`no status line: ${first.slice(0, 200)}`);
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const from = end + headEnd.length;
    const read =
      isBare || status === 204 || status === 304 || status < 200 ? { body: Buffer.alloc(0), next: from } : this.body(headers, from, isOver);
    if (!read) return undefined;
    this.bytes = this.bytes.subarray(read.next);
    if (status === 100) return this.next(isBare, isOver);
    return { status, contentType: headers.get('content-type') ?? '', closes: headers.get('connection') === 'close', body: read.body };
  }

  private body(headers: ReadonlyMap<string, string>, from: number, isOver: boolean): { body: Buffer; next: number } | undefined {
    if (headers.get('transfer-encoding') === 'chunked') return this.chunks(from);
    const length = headers.get('content-length');
    if (length === undefined) return isOver ? { body: this.bytes.subarray(from), next: this.bytes.length } : undefined;
    const next = from + Number(length);
    return next <= this.bytes.length ? { body: this.bytes.subarray(from, next), next } : undefined;
  }

  private chunks(from: number): { body: Buffer; next: number } | undefined {
    const pieces: Buffer[] = [];
    for (let at = from; ;) {
      const end = this.bytes.indexOf(lineEnd, at);
      if (end < 0) return undefined;
      const size = Number.parseInt(this.bytes.toString('latin1', at, end), 16);
      const next = end + 2 + size + 2;
      if (!(size >= 0)) throw new Error('a chunk without a size');
      if (next > this.bytes.length) return undefined;
      if (size === 0) return { body: Buffer.concat(pieces), next };
      pieces.push(this.bytes.subarray(end + 2, end + 2 + size));
      at = next;
    }
  }
}
