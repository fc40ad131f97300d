// What happened in a cluster, told by the answers to writes alone: what each watcher has to be told follows from it.

export interface Metadata {
  name: string;
  namespace?: string;
  resourceVersion: string;
  labels?: Record<string, string>;
}

export interface Stored {
  kind: string;
  metadata: Metadata;
  spec?: { unschedulable?: boolean };
}

export interface Happened {
  version: number;
  key: string;
  before: Stored | undefined;
  /** Undefined: deleted. */
  after: Stored | undefined;
}

/** Which objects somebody looks at. */
export interface Scope {
  namespace?: string;
  matches: (object: Stored) => boolean;
}

export interface Told {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: Stored;
}

const keyOf = ({ metadata }: Stored): string => `${metadata.namespace ?? ''}/${metadata.name}`;
const checkpointEvery = 256;

/** The history of one collection. */
export class Oracle {
  readonly changes: Happened[] = [];
  private readonly state = new Map<string, Stored>();
  private readonly checkpoints: ReadonlyMap<string, Stored>[] = [new Map()];

  get(key: string): Stored | undefined {
    return this.state.get(key);
  }

  get keys(): readonly string[] {
    return [...this.state.keys()];
  }

  /** An answer to a write; one that changed nothing has a version that is known. */
  wrote(object: Stored): void {
    const before = this.state.get(keyOf(object));
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.put({ version: Number(object.metadata.resourceVersion), key: keyOf(object), before, after: object });
  }

  deleted(key: string, version: number): void {
    this.put({ version, key, before: this.state.get(key), after: undefined });
  }

  /** Writes that were made at the same time are answered in any order. */
  private put(change: Happened): void {
    if (change.version <= (this.changes.at(-1)?.version ?? 0)) throw new Error(`version ${change.version} of ${change.key} came too late`);
    this.changes.push(change);
    if (change.after) this.state.set(change.key, change.after);
    else this.state.delete(change.key);
    if (this.changes.length % checkpointEvery === 0) this.checkpoints.push(new Map(this.state));
  }

  /** Index of the first change later than a version. */
  after(version: number): number {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.changes[middle] as Happened).version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What a list shows at a version, in key order. */
  at(version: number, scope: Scope): Stored[] {
    const end = this.after(version);
    const from = Math.floor(end / checkpointEvery);
    const state = new Map(this.checkpoints[from]);
    for (const { key, after } of this.changes.slice(from * checkpointEvery, end)) {
      if (after) state.set(key, after);
      else state.delete(key);
    }
    return [...state.keys()].sort().flatMap((key) => (isSeen(state.get(key), scope) ? (state.get(key) as Stored) : []));
  }
}

export function isSeen(object: Stored | undefined, { namespace, matches }: Scope): boolean {
  return object !== undefined && (namespace === undefined || object.metadata.namespace === namespace) && matches(object);
}

/** A change as a watcher of some objects is told it; undefined: not at all. */
export function told({ version, before, after }: Happened, scope: Scope): Told | undefined {
  const [was, is] = [isSeen(before, scope), isSeen(after, scope)];
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after as Stored };
  if (!was) return undefined;
  const last = before as Stored;
  return { type: 'DELETED', object: { ...last, metadata: { ...last.metadata, resourceVersion: String(version) } } };
}
