// A client that lists and watches, goes away, comes back, and holds every frame against what it has to be told.
import type { ApiFixture, WatchClient } from '../../apps/apiserver/src/testing/api-fixture.fixture';
import { told, type Oracle, type Scope, type Stored, type Told } from './oracle';
import type { Random } from './random';

/** What is watched, and how it is asked for. */
export interface Interest {
  path: string;
  oracle: Oracle;
  scope: Scope;
  /** Of the selectors. */
  query: string;
  form: 'plain' | 'Table' | 'PartialObjectMetadata';
}

const slow = 1024 * 1024;
const endMark = 'k8s.io/initial-events-end';

export class Watcher {
  frames = 0;
  private client: WatchClient | undefined;
  /** Frames with which the watch begins, that have not come yet. */
  private initial: (Told | 'end')[] = [];
  /** Changes of the collection up to here have been told, or need not be. */
  private next = 0;
  /** Version that a watch can be resumed from. */
  private version = 0;
  /** A version from earlier. */
  private earlier = 0;

  constructor(
    readonly name: string,
    private readonly interest: Interest,
    private readonly random: Random,
  ) {}

  get isOpen(): boolean {
    return this.client !== undefined && !this.client.ended && !this.client.aborted;
  }

  close(): void {
    this.check();
    this.client?.close();
    this.client = undefined;
  }

  /** Comes back in one of the ways that clients have; what was being sent when it went is not awaited. */
  async open(api: ApiFixture): Promise<void> {
    this.close();
    const isResumable = this.version > 0 && this.initial.length === 0;
    const way = this.random.below(isResumable ? 7 : 3);
    if (way === 0) return this.relist(api, '');
    if (way === 1) return this.fromState(api, this.random.oneIn(2));
    if (way === 2) return this.streamList(api);
    if (way === 3 && this.earlier > 0) return this.relist(api, `resourceVersion=${this.earlier}&resourceVersionMatch=Exact`);
    if (way === 4 && this.earlier > 0) return this.resume(api, this.earlier);
    return this.resume(api, this.version);
  }

  /** A client that takes nothing, until it does. */
  dawdle(): void {
    if (this.client && this.random.oneIn(2)) this.client.waitingBytes = slow;
    else this.client?.drain();
  }

  /** Holds what has come against what had to come. @throws Error for the first difference */
  check(): void {
    for (const frame of this.client?.frames.splice(0) ?? []) {
      this.frames++;
      if (frame.type === 'BOOKMARK') this.bookmark(frame.object);
      else this.expect(this.due(), frame);
    }
  }

  /** Everything has been told. */
  get isComplete(): boolean {
    this.check();
    return this.initial.length === 0 && this.peek() === undefined;
  }

  drain(): void {
    this.client?.drain();
  }

  private async relist(api: ApiFixture, query: string): Promise<void> {
    const { path, oracle, scope } = this.interest;
    const items: Stored[] = [];
    const limit = this.random.oneIn(3) && query === '' ? '&limit=7' : '';
    let token = '';
    let version = '';
    do {
      const continued = token === '' ? query : `continue=${token}`;
      const { json } = await api.request('GET', `${path}?${this.interest.query}&${continued}${limit}`);
      if (json.kind === 'Status') throw new Error(`${this.name}: ${json.message}`);
      items.push(...json.items);
      version = json.metadata.resourceVersion;
      token = json.metadata.continue ?? '';
    } while (token !== '');
    const texts = oracle.at(Number(version), scope).map(({ metadata }) => JSON.stringify(metadata));
    const listed = items.map(({ metadata }) => JSON.stringify(metadata));
    if (texts.join() !== listed.join()) throw new Error(`${this.name}: the list at ${version} is not that of its version`);
    await this.resume(api, Number(version));
  }

  private async resume(api: ApiFixture, version: number): Promise<void> {
    this.initial = [];
    this.next = this.interest.oracle.after(version);
    this.version = version;
    await this.watch(api, `resourceVersion=${version}`);
  }

  private async fromState(api: ApiFixture, bookmarks: boolean): Promise<void> {
    this.begin(api, bookmarks);
    await this.watch(api, bookmarks ? 'allowWatchBookmarks=true' : this.random.pick(['resourceVersion=0', 'resourceVersion=']));
  }

  private async streamList(api: ApiFixture): Promise<void> {
    this.begin(api, true);
    const from = this.version > 0 && this.random.oneIn(2) ? `&resourceVersion=${this.version}` : '';
    await this.watch(api, `sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true${from}`);
  }

  private begin(api: ApiFixture, marksEnd: boolean): void {
    const { oracle, scope } = this.interest;
    const { position } = api.runtime.state;
    const state = oracle.at(position, scope).map((object): Told => ({ type: 'ADDED', object }));
    this.initial = marksEnd ? [...state, 'end'] : state;
    this.next = oracle.after(position);
    this.version = position;
  }

  private async watch(api: ApiFixture, query: string): Promise<void> {
    const { path, form } = this.interest;
    const accept = form === 'plain' ? 'application/json' : `application/json;as=${form};v=v1;g=meta.k8s.io`;
    const timeout = this.random.oneIn(3) ? '&timeoutSeconds=150' : '';
    const marks = this.random.oneIn(2) && !query.includes('Bookmarks') && query !== 'resourceVersion=' ? '&allowWatchBookmarks=true' : '';
    this.client = await api.watch(`${path}?watch=1&${this.interest.query}&${query}${marks}${timeout}`, { accept });
    if (this.random.oneIn(8)) this.earlier = this.version;
  }

  private peek(): Told | undefined {
    const { oracle, scope } = this.interest;
    for (; this.next < oracle.changes.length; this.next++) {
      const change = oracle.changes[this.next];
      const event = change && told(change, scope);
      if (event) return event;
    }
    return undefined;
  }

  private due(): Told | undefined {
    const first = this.initial.shift();
    if (first === 'end') throw new Error(`${this.name}: the end of the initial events was not told`);
    if (first) return first;
    const event = this.peek();
    if (event) {
      this.next++;
      this.version = Number(event.object.metadata.resourceVersion);
    }
    return event;
  }

  private expect(due: Told | undefined, frame: WatchClient['frames'][number]): void {
    const expected = due && this.text(due.type, due.object);
    const actual = this.text(frame.type, this.shown(frame.object));
    if (expected !== actual) throw new Error(`${this.name}: expected ${expected ?? 'nothing'}, was told ${actual}`);
  }

  private shown(object: Record<string, unknown>): Stored {
    if (this.interest.form !== 'Table') return object as unknown as Stored;
    return ((object['rows'] as { object: Stored }[])[0] as { object: Stored }).object;
  }

  /** Of Tables and metadata only the metadata can be compared. */
  private text(type: string, object: Stored): string {
    return `${type} ${JSON.stringify(this.interest.form === 'plain' ? object : object.metadata)}`;
  }

  /** It may say no more than has been told. */
  private bookmark(object: Record<string, unknown>): void {
    const { metadata } = this.interest.form === 'Table' ? this.shown(object) : (object as unknown as Stored);
    const isEnd = (metadata as { annotations?: Record<string, string> }).annotations?.[endMark] === 'true';
    if (isEnd && this.initial.shift() !== 'end') throw new Error(`${this.name}: the end of the initial events was told too early`);
    if (this.initial.length > 0) throw new Error(`${this.name}: a bookmark before the end of the initial events`);
    const version = Number(metadata.resourceVersion);
    const due = this.peek();
    if (due && Number(due.object.metadata.resourceVersion) <= version)
      throw new Error(`${this.name}: a bookmark at ${version} before ${this.text(due.type, due.object)}`);
    if (version < this.version) throw new Error(`${this.name}: a bookmark at ${version}, back from ${this.version}`);
    this.version = version;
  }
}
