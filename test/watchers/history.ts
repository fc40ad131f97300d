// What happened to the objects of one collection, as a watch of all of them was told it: what others have to be told follows from it.
import { isSameJson } from './json';

export interface Metadata {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  labels?: Record<string, string>;
  finalizers?: string[];
  deletionTimestamp?: string;
  annotations?: Record<string, string>;
}

export interface Stored {
  kind: string;
  metadata: Metadata;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** An object at a version. */
export interface Version {
  version: number;
  key: string;
  object: Stored;
  /** As the server wrote it. */
  text: string;
}

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface Change {
  version: number;
  key: string;
  type: ChangeType;
  before: Version | undefined;
  /** Undefined: deleted. */
  after: Version | undefined;
}

/** Which objects somebody looks at. */
export interface Scope {
  namespace?: string;
  matches: (object: Stored) => boolean;
}

export interface Told {
  type: ChangeType;
  shown: Version;
}

export function keyOf({ metadata }: Pick<Stored, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

const checkpointEvery = 256;

/** The history of one collection. */
export class History {
  readonly changes: Change[] = [];
  private readonly byVersion = new Map<number, Change>();
  private readonly state = new Map<string, Version>();
  private readonly checkpoints: ReadonlyMap<string, Version>[] = [new Map()];
  /** At which version each uid came. */
  private readonly births = new Map<string, number>();
  /** Uids of what is gone, or being deleted. */
  readonly goneUids = new Set<string>();
  readonly markedUids = new Set<string>();

  constructor(readonly name: string) {}

  get(key: string): Version | undefined {
    return this.state.get(key);
  }

  get keys(): string[] {
    return [...this.state.keys()];
  }

  get version(): number {
    return this.changes.at(-1)?.version ?? 0;
  }

  /** @returns the version that the object with a uid was created at */
  bornAt(uid: string): number | undefined {
    return this.births.get(uid);
  }

  changeAt(version: number): Change | undefined {
    return this.byVersion.get(version);
  }

  /** One frame of the watch of all. @throws Error when it cannot follow what was told before */
  take(type: string, text: string): void {
    const object = JSON.parse(text) as Stored;
    const version = Number(object.metadata.resourceVersion);
    const key = keyOf(object);
    const before = this.state.get(key);
    if (!(version > this.version)) throw new Error(`${this.name}: ${type} of ${key} at ${version} came after ${this.version}`);
    const expected = type === 'DELETED' || type === 'MODIFIED' ? before !== undefined : before === undefined;
    if (!expected) throw new Error(`${this.name}: ${type} of ${key} at ${version}, which ${before ? 'is there' : 'is not there'}`);
    const isSame = before === undefined || before.object.metadata.uid === object.metadata.uid;
    if (!isSame) throw new Error(`${this.name}: ${type} of ${key} at ${version} has another uid than before`);
    const after = type === 'DELETED' ? undefined : { version, key, object, text };
    if (!after && !isSameJson(atVersion(before as Version, version).text, text))
      throw new Error(`${this.name}: DELETED of ${key} at ${version} does not show what was there: ${text}, not ${before?.text}`);
    this.put({ version, key, type: type as ChangeType, before, after });
  }

  private put(change: Change): void {
    this.changes.push(change);
    this.byVersion.set(change.version, change);
    const { key, after, before } = change;
    if (after) this.state.set(key, after);
    else this.state.delete(key);
    if (after && !before) this.births.set(after.object.metadata.uid, change.version);
    if (!after && before) this.goneUids.add(before.object.metadata.uid);
    if (after?.object.metadata.deletionTimestamp) this.markedUids.add(after.object.metadata.uid);
    if (this.changes.length % checkpointEvery === 0) this.checkpoints.push(new Map(this.state));
  }

  /** Index of the first change later than a version. */
  after(version: number): number {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.changes[middle] as Change).version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What a list shows at a version, in key order. */
  at(version: number, scope: Scope): Version[] {
    const end = this.after(version);
    const from = Math.floor(end / checkpointEvery);
    const state = new Map(this.checkpoints[from]);
    for (const { key, after } of this.changes.slice(from * checkpointEvery, end)) {
      if (after) state.set(key, after);
      else state.delete(key);
    }
    return [...state.keys()].sort().flatMap((key) => (isSeen(state.get(key), scope) ? (state.get(key) as Version) : []));
  }
}

/** The object as a deletion at a later version shows it. */
function atVersion(before: Version, version: number): Version {
  const text = before.text.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${version}"`);
  return { ...before, version, text, object: JSON.parse(text) as Stored };
}

function isSeen(version: Version | undefined, { namespace, matches }: Scope): boolean {
  if (version === undefined) return false;
  const { object } = version;
  return (namespace === undefined || object.metadata.namespace === namespace) && matches(object);
}

/** A change as a watcher of some objects is told it; undefined: not at all. */
export function told({ version, before, after }: Change, scope: Scope): Told | undefined {
  const was = isSeen(before, scope);
  if (isSeen(after, scope)) return { type: was ? 'MODIFIED' : 'ADDED', shown: after as Version };
  return was ? { type: 'DELETED', shown: atVersion(before as Version, version) } : undefined;
}
