/** JSON text that has a list at its end, in pieces: a long one is never put together before it is turned into bytes. */
export interface ListText {
  /** Up to the list's opening bracket. */
  head: string;
  /** The items, each by itself or several with commas between them. */
  items: Iterable<string>;
  /** From its closing bracket on. */
  tail: string;
}

/** Items that are put together at a time: their text is about what a processor's nearest cache holds. */
const groupedCount = 16;

/**
 * For items that are themselves made of pieces, which the engine joins only when somebody reads them: a few at a time they become bytes in half
 * the time, and none of their text is there longer than that takes.
 */
export function grouped<T>(things: readonly T[], textOf: (thing: T) => string): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < things.length; at += groupedCount)
        yield things
          .slice(at, at + groupedCount)
          .map(textOf)
          .join(',');
    },
  };
}

export function joined({ head, items, tail }: ListText): string {
  return head + [...items].join(',') + tail;
}

/** The text in UTF-8, with a line's end. */
export function bytesOf({ head, items, tail }: ListText): Buffer {
  const bytes = new Utf8Blocks(Array.isArray(items) ? lengthOf(items as string[]) + head.length + tail.length + 1 : blockBytes);
  bytes.put(head);
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) bytes.put(',');
    isFirst = false;
    bytes.put(item);
  }
  bytes.put(tail);
  bytes.put('\n');
  return bytes.whole();
}

/** Characters of the items and the commas between them: as many bytes, where all is plain ASCII. */
function lengthOf(items: readonly string[]): number {
  let length = items.length;
  for (const item of items) length += item.length;
  return length;
}

const blockBytes = 256 * 1024;
/** A character of a JavaScript string (a half of a surrogate pair counts as one) becomes so many bytes at most. */
const bytesPerCharacterMax = 3;

class Utf8Blocks {
  private readonly full: Buffer[] = [];
  private block: Buffer;
  private at = 0;

  constructor(firstBytes: number) {
    this.block = Buffer.allocUnsafeSlow(firstBytes);
  }

  put(text: string): void {
    const room = this.block.length - this.at;
    if (text.length * bytesPerCharacterMax > room) {
      const needed = Buffer.byteLength(text);
      if (needed > room) this.next(Math.max(needed, blockBytes));
    }
    this.at += this.block.write(text, this.at);
  }

  whole(): Buffer {
    const last = this.block.subarray(0, this.at);
    return this.full.length === 0 ? last : Buffer.concat([...this.full, last]);
  }

  private next(bytes: number): void {
    this.full.push(this.block.subarray(0, this.at));
    this.block = Buffer.allocUnsafeSlow(bytes);
    this.at = 0;
  }
}
