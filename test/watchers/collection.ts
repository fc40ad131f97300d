import { History, type Stored } from './history';
import type { WatchedKind } from './kinds';
import type { Connection, Server } from './server';

/** Frames between `{"type":"` and `"`, `,"object":` and the end. */
const frameStart = '{"type":"';

export interface Frame {
  type: string;
  /** JSON of the object. */
  text: string;
}

/** Takes a line apart without parsing it. */
export function readFrame(line: string): Frame {
  const end = line.indexOf('"', frameStart.length);
  const object = ',"object":';
  if (!line.startsWith(frameStart) || !line.startsWith(object, end + 1)) throw new Error(`no frame: ${line.slice(0, 200)}`);
  return { type: line.slice(frameStart.length, end), text: line.slice(end + 1 + object.length, -1) };
}

/** A kind in one of its versions, and the watch of all of it: what the others are held against. */
export class Collection {
  readonly history: History;
  readonly path: string;
  private connection: Connection | undefined;

  constructor(
    readonly kind: WatchedKind,
    readonly root: string,
  ) {
    this.path = `${root}/${kind.resource}`;
    this.history = new History(this.path);
  }

  async open(server: Server): Promise<void> {
    const { version } = this.history;
    const accept = 'application/json';
    // From the first version on: nothing that was ever written is missing.
    this.connection = await server.watch(`${this.path}?watch=1&resourceVersion=${version || 1}`, accept, 'http1');
  }

  close(): void {
    this.take();
    this.connection?.close();
    this.connection = undefined;
  }

  get isOver(): boolean {
    return this.connection?.isOver ?? true;
  }

  take(): void {
    for (const frame of this.connection?.take() ?? []) {
      const { type, text } = readFrame(frame.toString('utf8'));
      if (type === 'ERROR') throw new Error(`${this.path}: ${text}`);
      if (type !== 'BOOKMARK') this.history.take(type, text);
    }
  }

  /** The namespace's part of the collection. */
  pathIn(namespace: string | undefined): string {
    return namespace === undefined ? this.path : `${this.root}/namespaces/${namespace}/${this.kind.resource}`;
  }

  pathOf({ metadata }: Pick<Stored, 'metadata'>): string {
    return `${this.pathIn(metadata.namespace)}/${metadata.name}`;
  }
}
