// A client that lists and watches, goes away, comes back, and holds every frame against what it has to be told.
import type { Collection, Frame } from './collection';
import type { Form } from './forms';
import { keyOf, told, type Change, type Scope, type Stored, type Told } from './history';
import { isSameJson } from './json';
import type { Random } from './random';
import type { Connection, Server, Transport } from './server';

/** What is watched, and how it is asked for. */
export interface Interest {
  collection: Collection;
  namespace: string | undefined;
  scope: Scope;
  /** Of the selectors. */
  query: string;
  form: Form;
  transport: Transport;
  /** Old versions may expire. */
  expires: () => boolean;
  timeouts: readonly number[];
}

const endMark = 'k8s.io/initial-events-end';
/** What a list of the past, or a watch from it, is answered where it has expired. */
const goneStatus = 410;

type Listed = { items: Stored[]; metadata: { resourceVersion: string; continue?: string }; kind: string; code?: number; message?: string };

export class Watcher {
  frames = 0;
  openings = 0;
  expired = 0;
  private connection: Connection | undefined;
  /** Frames with which the watch begins, until all of them are there: where they end, they say at which version that is. */
  private initial: Frame[] | undefined;
  /** Frames with which the watch begins, that have not come yet. */
  private due: Told[] = [];
  private next = 0;
  /** Version that a watch can be resumed from; 0: none. */
  private version = 0;
  private earlier = 0;
  /** The query with which it came last. */
  private opened = '';
  /** Lists, to be looked at when everything up to their versions is known. */
  private lists: { version: number; items: Stored[]; how: string }[] = [];
  /** The state as this client has it: versions by key. */
  private readonly state = new Map<string, string>();

  constructor(
    readonly name: string,
    private readonly interest: Interest,
    private readonly random: Random,
  ) {}

  get isOver(): boolean {
    return this.connection?.isOver ?? true;
  }

  /** Nothing is under way: it can begin with the state without being told at which version that is. */
  async openInSilence(server: Server): Promise<void> {
    this.leave();
    const { history } = this.interest.collection;
    this.begin();
    this.due = history.at(history.version, this.interest.scope).map((shown): Told => ({ type: 'ADDED', shown }));
    this.next = history.changes.length;
    this.version = history.version;
    await this.watch(server, this.random.pick(['resourceVersion=0', 'resourceVersion=0&allowWatchBookmarks=true', '']));
  }

  /** Comes back in one of the ways that clients have, while others write; what was being sent when it went is not awaited. */
  async open(server: Server): Promise<void> {
    this.leave();
    const way = this.random.below(this.version > 0 ? 6 : 2);
    if (way === 0) return this.relist(server, this.random.pick(['', 'resourceVersion=0', `resourceVersion=${this.version}`]));
    if (way === 1) return this.streamList(server);
    if (way === 2 && this.earlier > 0) return this.relist(server, `resourceVersion=${this.earlier}&resourceVersionMatch=Exact`);
    if (way === 3 && this.earlier > 0) return this.resume(server, this.earlier);
    return this.resume(server, this.version);
  }

  /** A client that takes nothing, until it does. */
  dawdle(): void {
    if (this.random.oneIn(2)) this.connection?.dawdle();
    else this.connection?.resume();
  }

  /** Takes all there is from now on. */
  hurry(): void {
    this.connection?.resume();
  }

  /** Goes away; what has come by now has been told. */
  leave(): void {
    this.check();
    this.connection?.close();
    this.connection = undefined;
    // Half a beginning is none.
    if (this.initial || this.due.length > 0) this.version = 0;
    this.initial = undefined;
    this.due = [];
  }

  /** Everything has been told. */
  get isComplete(): boolean {
    this.check();
    return !this.isOver && this.initial === undefined && this.due.length === 0 && this.peek() === undefined;
  }

  /** Holds what has come against what had to come, as far as that is known. @throws Error for the first difference */
  check(): void {
    for (const { version, items, how } of this.lists.splice(0)) this.checkList(version, items, how);
    for (const bytes of this.connection?.take() ?? []) {
      this.frames++;
      const frame = this.interest.form.read(bytes);
      if (frame.type === 'ERROR') this.refused(frame);
      else if (frame.type === 'BOOKMARK') this.bookmark(frame);
      else if (this.initial) this.initial.push(frame);
      else this.expect(this.takeDue(), frame);
    }
  }

  /** Its state is that of a list. @throws Error */
  async compareWithList(server: Server): Promise<void> {
    const { collection, namespace, query } = this.interest;
    const { text } = await server.request('GET', `${collection.pathIn(namespace)}?${query}`);
    const { items } = JSON.parse(text) as Listed;
    const listed = items.map(({ metadata }) => `${keyOf({ metadata })}@${metadata.resourceVersion}`).sort();
    const own = [...this.state].map(([key, version]) => `${key}@${version}`).sort();
    if (listed.join() !== own.join()) throw this.problem(`it has ${own.join()}, the list is ${listed.join()}`);
  }

  private async relist(server: Server, query: string): Promise<void> {
    const { collection, namespace, query: selection } = this.interest;
    const items: Stored[] = [];
    const limit = this.random.oneIn(3) && !query.includes('Exact') ? '&limit=3' : '';
    let token = '';
    let version = '';
    do {
      const continued = token === '' ? query : `continue=${encodeURIComponent(token)}`;
      const target = `${collection.pathIn(namespace)}?${selection}&${continued}${limit}`;
      const answer = await server.request('GET', target).catch(() => undefined);
      if (!answer) return this.forget();
      const list = JSON.parse(answer.text) as Listed;
      if (list.kind === 'Status') {
        if (answer.status === goneStatus && this.interest.expires()) return this.expire();
        throw this.problem(`GET ${target} was answered ${answer.text}`);
      }
      items.push(...list.items);
      version = list.metadata.resourceVersion;
      token = list.metadata.continue ?? '';
    } while (token !== '');
    this.lists.push({ version: Number(version), items, how: query + limit });
    await this.resume(server, Number(version), items);
  }

  private checkList(version: number, items: readonly Stored[], how: string): void {
    const { collection, scope } = this.interest;
    const expected = collection.history.at(version, scope).map(({ object }) => JSON.stringify(object.metadata));
    const listed = items.map(({ metadata }) => JSON.stringify(metadata));
    const at = expected.findIndex((text, i) => listed[i] === undefined || !isSameJson(text, listed[i]));
    if (at >= 0 || expected.length !== listed.length)
      throw this.problem(
        `the list ${how} at ${version} has ${listed.length} for ${expected.length}, with ${listed.at(at)}, not ${expected.at(at)}`,
      );
  }

  /** @param items the state at the version, where it is known of a list */
  private async resume(server: Server, version: number, items?: readonly Stored[]): Promise<void> {
    const { collection, scope } = this.interest;
    this.begin();
    // A list may be of a version that the history has not reached yet: what is due is found out when it is looked at.
    this.next = collection.history.after(version);
    this.version = version;
    if (items) for (const item of items) this.state.set(keyOf(item), item.metadata.resourceVersion);
    else for (const { key, version: of } of collection.history.at(version, scope)) this.state.set(key, String(of));
    await this.watch(server, `resourceVersion=${version}`);
  }

  private async streamList(server: Server): Promise<void> {
    const from = this.version > 0 && this.random.oneIn(2) ? `&resourceVersion=${this.version}` : '';
    this.begin();
    this.initial = [];
    this.version = 0;
    await this.watch(server, `sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true${from}`);
  }

  private begin(): void {
    this.initial = undefined;
    this.due = [];
    this.state.clear();
  }

  private forget(): void {
    this.begin();
    this.version = 0;
    this.earlier = 0;
  }

  private expire(): void {
    this.expired++;
    this.forget();
  }

  private async watch(server: Server, query: string): Promise<void> {
    const { collection, namespace, query: selection, form, transport, timeouts } = this.interest;
    const timeout = this.random.oneIn(3) ? `timeoutSeconds=${this.random.pick(timeouts)}` : '';
    const marks = this.random.oneIn(2) && !query.includes('Bookmarks') && query !== '' ? 'allowWatchBookmarks=true' : '';
    const all = ['watch=1', selection, query, marks, timeout, form.query].filter(Boolean).join('&');
    this.openings++;
    this.opened = all;
    this.connection = await server.watch(`${collection.pathIn(namespace)}?${all}`, form.accept, transport);
    if (this.random.oneIn(8)) this.earlier = this.version;
  }

  private peek(): Told | undefined {
    const { collection, scope } = this.interest;
    const { changes } = collection.history;
    for (; this.next < changes.length; this.next++) {
      const change = changes[this.next] as Change;
      if (change.version <= this.version) continue;
      const event = told(change, scope);
      if (event) return event;
    }
    return undefined;
  }

  private takeDue(): Told | undefined {
    const first = this.due.shift();
    if (first) return first;
    const event = this.peek();
    if (!event) return undefined;
    this.next++;
    this.version = event.shown.version;
    return event;
  }

  private expect(due: Told | undefined, frame: Frame): void {
    const { form } = this.interest;
    const expected = due && form.expected(due);
    const actual = form.said(frame);
    if (expected !== actual && !(due && form.saysTheSame?.(frame, due)))
      throw this.problem(`expected ${expected ?? 'nothing'}, was told ${actual}`);
    const { type, shown } = due as Told;
    if (type === 'DELETED') this.state.delete(shown.key);
    else this.state.set(shown.key, String(shown.version));
  }

  /** It may say no more than has been told. */
  private bookmark(frame: Frame): void {
    const { resourceVersion, annotations } = this.interest.form.bookmark(frame);
    const version = Number(resourceVersion);
    if (annotations?.[endMark] === 'true' && this.initial) this.endInitial(version, this.initial);
    if (this.initial || this.due.length > 0) throw this.problem('a bookmark before the end of the initial events');
    if (version < this.version) throw this.problem(`a bookmark at ${version}, back from ${this.version}`);
    const due = this.peek();
    if (due && due.shown.version <= version) throw this.problem(`a bookmark at ${version} before ${this.interest.form.expected(due)}`);
    this.version = version;
  }

  private endInitial(version: number, frames: readonly Frame[]): void {
    const { collection, scope } = this.interest;
    this.initial = undefined;
    this.due = collection.history.at(version, scope).map((shown): Told => ({ type: 'ADDED', shown }));
    for (const frame of frames) this.expect(this.takeDue(), frame);
    if (this.due.length > 0) throw this.problem(`the initial events ended at ${version} without ${this.due[0]?.shown.text}`);
    this.next = collection.history.after(version);
    this.version = version;
  }

  private refused({ text }: Frame): void {
    const isGone = text.includes('"code":410') || text.includes('too old resource version');
    if (!isGone || !this.interest.expires()) throw this.problem(`was told ${text}`);
    this.expire();
  }

  private problem(text: string): Error {
    const { collection, form, transport, namespace } = this.interest;
    return new Error(`${this.name} (${collection.pathIn(namespace)}?${this.opened} as ${form.name} over ${transport}): ${text}`);
  }
}
