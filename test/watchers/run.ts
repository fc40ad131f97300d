// Random writes beside watchers that come and go: each has to be told everything that it watches, once and in order.
import { Collection } from './collection';
import { forms } from './forms';
import { Journal, type Answer } from './journal';
import { watchedKinds } from './kinds';
import { namespaces, Operations, type Operation } from './operations';
import { Random } from './random';
import { transports, type Server } from './server';
import { Watcher } from './watcher';

export interface WatchersReport {
  operations: number;
  /** Those that changed something. */
  changes: number;
  frames: number;
  openings: number;
  restarts: number;
  /** Answers that a version has expired. */
  expired: number;
  /** Objects that the deletion of a collection took although they came after its list, in place of one in it. */
  overtaken: number;
  /** How often each status was answered. */
  answers: Record<number, number>;
}

export interface WatchersOptions {
  operations: number;
  watchers: number;
  seed: number;
  restarts: number;
  /** Operations that are under way together, at most. */
  together: number;
  /** Whether pods can be created: somebody reviews them. */
  isReviewed: boolean;
  /** Old versions may expire in this life. */
  expires: (life: number) => boolean;
  /** `timeoutSeconds` of watches. */
  timeouts: readonly number[];
  /** Resources that are written and watched; all of them when absent. The fewer, the more is asked of each object at once. */
  resources?: readonly string[];
  told?: (report: WatchersReport) => void;
}

const turnsMax = 200_000;
/** The longest that what was acknowledged may take to be told, ms. */
const patienceMs = 30_000;
const refusals = new Set([404, 409, 422]);

class Run {
  private readonly random: Random;
  private readonly operations: Operations;
  private readonly collections: readonly Collection[];
  private readonly journal: Journal;
  private readonly watchers: Watcher[] = [];
  private life = 0;
  private fences = 0;
  private readonly report: WatchersReport = {
    operations: 0,
    changes: 0,
    frames: 0,
    openings: 0,
    restarts: 0,
    expired: 0,
    overtaken: 0,
    answers: {},
  };

  constructor(
    private readonly server: Server,
    private readonly options: WatchersOptions,
  ) {
    this.random = new Random(options.seed);
    const { resources, isReviewed } = options;
    const kinds = watchedKinds.filter((kind) => (isReviewed || !kind.isReviewed) && (resources?.includes(kind.resource) ?? true));
    this.collections = kinds.flatMap((kind) => kind.roots.map((root) => new Collection(kind, root)));
    this.journal = new Journal(this.collections);
    this.operations = new Operations(this.collections, this.random);
  }

  async play(): Promise<WatchersReport> {
    const { operations, watchers, seed, restarts } = this.options;
    await this.begin();
    for (let i = 0; i < watchers; i++) this.watchers.push(this.watcher(i, new Random(seed * 1_000 + i)));
    for (const watcher of this.watchers) await watcher.openInSilence(this.server);
    const every = Math.ceil(operations / (restarts + 1));
    while (this.report.operations < operations) {
      if (this.report.operations >= every * (this.life + 1)) await this.restart();
      else await this.round();
    }
    await this.settle();
    return this.sum();
  }

  /** What there is from the beginning. */
  private async begin(): Promise<void> {
    if (this.options.isReviewed) await Promise.all(namespaces.map((namespace) => this.account(namespace)));
    await Promise.all(this.collections.map((collection) => collection.open(this.server)));
    await this.perform(this.operations.fences());
    await this.hear();
    for (const collection of this.collections) this.journal.begin(collection);
    this.journal.balance();
  }

  /** Without one no pod can be created. */
  private async account(namespace: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await this.server.request('POST', path, { 'content-type': 'application/json' }, '{"metadata":{"name":"default"}}');
  }

  private watcher(i: number, random: Random): Watcher {
    const { expires, timeouts } = this.options;
    const collection = this.collections[i % this.collections.length] as Collection;
    const { query, matches } = random.pick(collection.kind.selections);
    const namespace = collection.kind.namespaced && random.oneIn(2) ? random.pick(namespaces) : undefined;
    const scope = { namespace, matches };
    const [form, transport] = [random.pick(forms), random.pick(transports)];
    const isExpiring = (): boolean => expires(this.life);
    return new Watcher(`watcher ${i}`, { collection, namespace, scope, query, form, transport, expires: isExpiring, timeouts }, random);
  }

  private async round(): Promise<void> {
    const { random, server } = this;
    const comers = this.watchers.filter((watcher) => watcher.isOver || random.oneIn(40));
    const [silent, others] = [comers.filter(() => random.oneIn(4)), [] as Watcher[]];
    for (const watcher of comers) if (!silent.includes(watcher)) others.push(watcher);
    await Promise.all(silent.map((watcher) => watcher.openInSilence(server)));
    const opened = others.map((watcher) => watcher.open(server));
    await Promise.all([this.perform(this.draw()), ...opened]);
    if (random.oneIn(6)) random.pick(this.watchers).dawdle();
    if (random.oneIn(40)) server.pass(60_000);
    await this.balance();
    for (const watcher of this.watchers) watcher.check();
    this.options.told?.(this.sum());
  }

  private draw(): Operation[] {
    return Array.from({ length: 1 + this.random.below(this.options.together) }, () => this.operations.next());
  }

  /** @param mayBreak the server is killed meanwhile */
  private async perform(operations: readonly Operation[], mayBreak = false): Promise<void> {
    this.report.operations += operations.length;
    await Promise.all(operations.map((operation) => this.one(operation, mayBreak)));
  }

  private async one({ collection, method, path, key, headers, body, isDry }: Operation, mayBreak: boolean): Promise<void> {
    const sentAt = performance.now();
    const answer = await this.server.request(method, path, headers, body).catch((error: Error) => {
      if (!mayBreak) throw new Error(`${method} ${path}: ${error.message}`);
    });
    if (!answer) return this.journal.lose(collection, key);
    const { status, text } = answer;
    this.report.answers[status] = (this.report.answers[status] ?? 0) + 1;
    const noted: Answer = { collection, what: `${method} ${path} ${body ?? ''}`, key, status, text, sentAt, answeredAt: performance.now() };
    this.journal.answered(noted);
    if (status < 300 && !isDry) this.journal.note(noted);
    else if (status >= 300 && !refusals.has(status) && !(mayBreak && status >= 500))
      throw new Error(`${noted.what} was answered ${status}: ${text}`);
    if (mayBreak && status >= 300) this.journal.lose(collection, key);
  }

  /** Holds what was acknowledged against what those who watch everything were told. */
  private async balance(): Promise<void> {
    const { unsure } = this.journal;
    if (unsure.size > 0) await this.fence(unsure);
    await this.hear();
    this.journal.balance();
  }

  private async fence(collections: Iterable<Collection>): Promise<void> {
    this.fences++;
    await this.perform(Array.from(collections, (collection) => this.operations.fence(collection, this.fences)));
  }

  /** Waits until all that was acknowledged has been told. */
  private async hear(): Promise<void> {
    const until = Date.now() + patienceMs;
    for (let turns = 0; ; turns++) {
      this.server.handOver();
      for (const collection of this.collections) collection.take();
      const { owed } = this.journal;
      if (owed === undefined) break;
      if (turns > turnsMax || (turns > 1_000 && Date.now() > until)) throw new Error(`nobody was told of ${owed}`);
      const over = this.collections.find(({ isOver }) => isOver);
      if (over) await over.open(this.server);
      await this.server.turn();
    }
    for (const collection of this.collections) if (collection.isOver) await collection.open(this.server);
  }

  /** Another process goes on with the log, perhaps in the middle of requests; whoever watched has to come back. */
  private async restart(): Promise<void> {
    this.report.restarts++;
    await this.server.restart(this.perform(this.draw(), true));
    for (const collection of this.collections) {
      collection.close();
      await collection.open(this.server);
    }
    this.life++;
    // Whatever came before these has been told when they have.
    await this.fence(this.collections);
    await this.balance();
    for (const watcher of this.watchers) watcher.leave();
  }

  /** Nothing happens any more: everybody hears the rest, and has what a list has. */
  private async settle(): Promise<void> {
    const until = Date.now() + patienceMs;
    let waiting = [...this.watchers];
    for (let turns = 0; waiting.length > 0; turns++) {
      for (const watcher of waiting) {
        watcher.hurry();
        if (watcher.isOver) await watcher.open(this.server);
      }
      this.server.handOver();
      await this.server.turn();
      waiting = waiting.filter((watcher) => !watcher.isComplete);
      if (turns > turnsMax || (turns > 1_000 && Date.now() > until)) throw new Error(`${waiting[0]?.name} has not been told everything`);
    }
    for (const watcher of this.watchers) {
      await watcher.compareWithList(this.server);
      watcher.leave();
    }
    for (const collection of this.collections) collection.close();
  }

  private sum(): WatchersReport {
    const { report, watchers, collections } = this;
    const of = (count: (watcher: Watcher) => number): number => watchers.reduce((sum, watcher) => sum + count(watcher), 0);
    report.frames = of(({ frames }) => frames);
    report.openings = of(({ openings }) => openings);
    report.expired = of(({ expired }) => expired);
    report.overtaken = this.journal.overtaken;
    report.changes = collections.reduce((sum, { history }) => sum + history.changes.length, 0);
    return report;
  }
}

/** @throws Error for the first frame that is missing, doubled, out of order or not what was written */
export async function playWatchers(server: Server, options: WatchersOptions): Promise<WatchersReport> {
  return new Run(server, options).play();
}
