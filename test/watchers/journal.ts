// What the answers to writes promise, held against what a watch of all was told.
import { AskedLately } from './asked';
import { keyOf, type Change, type Stored, type Version } from './history';
import { isSameJson } from './json';
import type { Collection } from './collection';
import type { WatchedKind } from './kinds';

/** A write, once it has been answered. */
export interface Answer {
  collection: Collection;
  what: string;
  key: string;
  status: number;
  text: string;
  /** When it was sent, and answered, ms of one clock. */
  sentAt: number;
  answeredAt: number;
}

type Promised =
  | { kind: 'bound'; key: string }
  | { kind: 'version'; version: number; text: string | undefined }
  | { kind: 'gone'; uid: string }
  | { kind: 'going'; uid: string };

interface Entry {
  answer: Answer;
  promised: Promised;
}

/** A change that nobody owns up to. */
export class UntoldChangeError extends Error {
  constructor(
    /** The kind, as a command names it, and the object: `node/x0`. */
    readonly object: string,
    readonly version: number,
    message: string,
  ) {
    super(message);
  }
}

/** Every acknowledged write is told once; whatever is told was acknowledged, or is owed to a request whose answer got lost. */
export class Journal {
  private entries: Entry[] = [];
  /** Keys of requests without an answer since the last balance. */
  private readonly lost = new Map<WatchedKind, Set<string>>();
  private readonly versions = new Map<WatchedKind, Set<number>>();
  private readonly balanced = new Map<Collection, number>();
  private readonly goingUids = new Set<string>();
  private readonly boundKeys = new Set<string>();
  /** For each object that a deletion of a collection listed since the last balance: the earliest version at which it did. */
  private readonly listed = new Map<WatchedKind, Map<string, number>>();
  private readonly asked = new AskedLately();
  /** Objects that the deletion of a collection took although they came after its list. */
  overtaken = 0;

  constructor(private readonly collections: readonly Collection[]) {}

  /** A request whose connection broke: it was done, or it was not. `*` stands for all objects of the kind. */
  lose({ kind }: Collection, key: string): void {
    const keys = this.lost.get(kind) ?? new Set();
    this.lost.set(kind, keys.add(key));
  }

  /** Notes a request, whatever became of it. */
  answered({ collection, key, ...asked }: Answer): void {
    this.asked.note(collection.kind.resource, key, asked);
  }

  /** @throws Error for an answer that cannot be true */
  note(answer: Answer): void {
    const body = JSON.parse(answer.text) as Stored & { details?: { uid: string }; items?: Stored[] };
    if (body.kind === 'Status' && answer.status === 201) return this.promise(answer, { kind: 'bound', key: answer.key });
    if (body.kind === 'Status') return this.promise(answer, { kind: 'gone', uid: body.details?.uid ?? '' });
    if (body.items) return this.noteCollection(answer, body.items, Number(body.metadata.resourceVersion));
    if (body.kind === 'Scale')
      return this.promise(answer, { kind: 'version', version: Number(body.metadata.resourceVersion), text: undefined });
    if (keyOf(body) !== answer.key) throw new Error(`${answer.what} was answered with ${keyOf(body)}`);
    if (body.metadata.deletionTimestamp) this.goingUids.add(body.metadata.uid);
    const endsDeletion = body.metadata.deletionTimestamp !== undefined && (body.metadata.finalizers ?? []).length === 0;
    if (endsDeletion || answer.what.startsWith('DELETE')) return this.promise(answer, { kind: 'going', uid: body.metadata.uid });
    this.promise(answer, { kind: 'version', version: Number(body.metadata.resourceVersion), text: answer.text.trimEnd() });
  }

  /** The deletion of a collection: what it listed goes, and so does whatever has the name of that by then. */
  private noteCollection(answer: Answer, items: readonly Stored[], version: number): void {
    const { kind } = answer.collection;
    const listed = this.listed.get(kind) ?? new Map<string, number>();
    this.listed.set(kind, listed);
    for (const { metadata } of items) {
      const key = keyOf({ metadata });
      listed.set(key, Math.min(version, listed.get(key) ?? Infinity));
      this.promise(answer, { kind: 'going', uid: metadata.uid });
    }
  }

  private promise(answer: Answer, promised: Promised): void {
    this.entries.push({ answer, promised });
  }

  /** Collections in which something is gone, or going: which of both no answer tells. */
  get unsure(): Set<Collection> {
    return new Set(this.entries.flatMap(({ answer, promised }) => (promised.kind === 'going' ? [answer.collection] : [])));
  }

  /** The first promise that nobody was told of yet. */
  get owed(): string | undefined {
    const entry = this.entries.find(({ answer, promised }) => !this.served(answer).every((collection) => isTold(collection, promised)));
    return entry && `${entry.answer.what} (${entry.answer.text.slice(0, 300)})`;
  }

  /** The versions in which the kind of an answer is served. */
  private served({ collection }: Answer): Collection[] {
    return this.collections.filter(({ kind }) => kind === collection.kind);
  }

  /** Holds what was told since the last time against what was promised. @throws Error for the first difference */
  balance(): void {
    const entries = this.entries;
    this.entries = [];
    for (const { answer, promised } of entries) this.hold(answer, promised);
    for (const collection of this.collections) this.explain(collection);
    for (const versions of this.versions.values()) versions.clear();
    this.listed.clear();
    this.lost.clear();
    this.boundKeys.clear();
  }

  private hold(answer: Answer, promised: Promised): void {
    if (promised.kind === 'bound') {
      this.boundKeys.add(promised.key);
      return;
    }
    if (promised.kind !== 'version') {
      this.goingUids.add(promised.uid);
      return;
    }
    const { kind } = answer.collection;
    const versions = this.versions.get(kind) ?? new Set();
    this.versions.set(kind, versions.add(promised.version));
    for (const collection of this.served(answer)) {
      const shown = collection.history.changeAt(promised.version)?.after;
      if (shown?.key !== answer.key) throw new Error(`${answer.what} was answered at ${promised.version}, where ${shown?.key} was told`);
      if (collection === answer.collection && promised.text !== undefined && !isSameJson(shown.text, promised.text))
        throw new Error(`${answer.what}: watchers are told ${shown.text}, the answer was ${promised.text}`);
    }
  }

  private explain(collection: Collection): void {
    const { changes } = collection.history;
    const lost = this.lost.get(collection.kind);
    const versions = this.versions.get(collection.kind);
    for (let i = this.balanced.get(collection) ?? 0; i < changes.length; i++) {
      const change = changes[i] as Change;
      const { version, key, after, before } = change;
      const isGoing = isEnd(change) && this.goingUids.has(uidOf(change));
      const isBound = nodeOf(before) === '' && nodeOf(after) !== '' && this.boundKeys.has(key);
      if (versions?.has(version) || isGoing || isBound || lost?.has(key) || lost?.has('*')) continue;
      if (!this.isOvertaken(collection, change)) throw this.untold(collection, change);
    }
    this.balanced.set(collection, changes.length);
  }

  /** Objects of a list are deleted by their names: one that has come after the list, in place of one in it, is deleted too. */
  private isOvertaken({ kind, history }: Collection, change: Change): boolean {
    const listedAt = this.listed.get(kind)?.get(change.key);
    const uid = uidOf(change);
    if (!isEnd(change) || listedAt === undefined || !((history.bornAt(uid) ?? 0) > listedAt)) return false;
    this.goingUids.add(uid);
    this.overtaken++;
    return true;
  }

  private untold({ kind, path }: Collection, { version, key, type, before, after }: Change): Error {
    const lines = [
      `${path}: ${key} changed at ${version}, which no answer told of: ${type}`,
      `before: ${before?.text ?? 'nothing'}`,
      `after: ${after?.text ?? 'nothing'}`,
      'asked lately:',
      ...this.asked.lines(kind.resource, key),
    ];
    return new UntoldChangeError(`${kind.kind.toLowerCase()}${key.startsWith('/') ? '' : '/'}${key}`, version, lines.join('\n  '));
  }

  /** What was there before anybody wrote. */
  begin(collection: Collection): void {
    this.balanced.set(collection, collection.history.changes.length);
  }
}

function uidOf({ before, after }: Change): string {
  return (after ?? before)?.object.metadata.uid ?? '';
}

/** Of an object, or the beginning of its end. */
function isEnd({ after }: Change): boolean {
  return !after || after.object.metadata.deletionTimestamp !== undefined;
}

function nodeOf(version: Version | undefined): string {
  return String(version?.object.spec?.['nodeName'] ?? '');
}

function isTold({ history }: Collection, promised: Promised): boolean {
  if (promised.kind === 'bound') return nodeOf(history.get(promised.key)) !== '' || history.get(promised.key) === undefined;
  if (promised.kind === 'version') return history.version >= promised.version;
  if (history.goneUids.has(promised.uid)) return true;
  return promised.kind === 'going' && history.markedUids.has(promised.uid);
}
