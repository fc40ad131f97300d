// What the answers to writes promise, held against what a watch of all was told.
import { keyOf, type Stored, type Version } from './history';
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

/** Requests about an object that are told of when something is wrong. */
const askedMax = 12;

/** Every acknowledged write is told once; whatever is told was acknowledged, or is owed to a request whose answer got lost. */
export class Journal {
  private entries: Entry[] = [];
  /** Keys of requests without an answer since the last balance. */
  private readonly lost = new Map<WatchedKind, Set<string>>();
  private readonly versions = new Map<WatchedKind, Set<number>>();
  private readonly balanced = new Map<Collection, number>();
  private readonly goingUids = new Set<string>();
  private readonly boundKeys = new Set<string>();
  /** The latest requests about each object and how they were answered, for whoever looks into a difference. */
  private readonly asked = new Map<string, string[]>();

  constructor(private readonly collections: readonly Collection[]) {}

  /** A request whose connection broke: it was done, or it was not. `*` stands for all objects of the kind. */
  lose({ kind }: Collection, key: string): void {
    const keys = this.lost.get(kind) ?? new Set();
    this.lost.set(kind, keys.add(key));
  }

  /** Notes a request, whatever became of it. */
  answered({ collection, key, what, status, text }: Answer): void {
    const asked = this.asked.get(`${collection.kind.resource} ${key}`) ?? [];
    asked.push(`${what} was answered ${status}: ${text.slice(0, 600)}`);
    this.asked.set(`${collection.kind.resource} ${key}`, asked.slice(-askedMax));
  }

  /** @throws Error for an answer that cannot be true */
  note(answer: Answer): void {
    const body = JSON.parse(answer.text) as Stored & { details?: { uid: string }; items?: Stored[] };
    if (body.kind === 'Status' && answer.status === 201) return this.promise(answer, { kind: 'bound', key: answer.key });
    if (body.kind === 'Status') return this.promise(answer, { kind: 'gone', uid: body.details?.uid ?? '' });
    if (body.items) {
      for (const { metadata } of body.items) this.promise(answer, { kind: 'going', uid: metadata.uid });
      return;
    }
    if (body.kind === 'Scale')
      return this.promise(answer, { kind: 'version', version: Number(body.metadata.resourceVersion), text: undefined });
    if (keyOf(body) !== answer.key) throw new Error(`${answer.what} was answered with ${keyOf(body)}`);
    if (body.metadata.deletionTimestamp) this.goingUids.add(body.metadata.uid);
    const endsDeletion = body.metadata.deletionTimestamp !== undefined && (body.metadata.finalizers ?? []).length === 0;
    if (endsDeletion || answer.what.startsWith('DELETE')) return this.promise(answer, { kind: 'going', uid: body.metadata.uid });
    this.promise(answer, { kind: 'version', version: Number(body.metadata.resourceVersion), text: answer.text.trimEnd() });
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
      const { version, key, after, before } = changes[i] as (typeof changes)[number];
      const uid = (after ?? before)?.object.metadata.uid ?? '';
      const isGoing = (!after || after.object.metadata.deletionTimestamp !== undefined) && this.goingUids.has(uid);
      const isBound = nodeOf(before) === '' && nodeOf(after) !== '' && this.boundKeys.has(key);
      if (versions?.has(version) || isGoing || isBound || lost?.has(key) || lost?.has('*')) continue;
      const asked = [key, '*'].flatMap((of) => this.asked.get(`${collection.kind.resource} ${of}`) ?? []);
      const change = `${before?.text} became ${after?.text}`;
      throw new Error(
        [`${collection.path}: ${key} changed at ${version}, which no answer told of: ${change}`, 'asked lately:', ...asked].join('\n  '),
      );
    }
    this.balanced.set(collection, changes.length);
  }

  /** What was there before anybody wrote. */
  begin(collection: Collection): void {
    this.balanced.set(collection, collection.history.changes.length);
  }
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
