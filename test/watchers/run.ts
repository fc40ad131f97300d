// Random writes beside watchers that come and go: each has to be told everything that it watches, once and in order.
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { mock } from 'node:test';
import { ApiFixture, fixtureStart } from '../../apps/apiserver/src/testing/api-fixture.fixture';
import { Oracle, type Scope, type Stored } from './oracle';
import { Random } from './random';
import { Watcher, type Interest } from './watcher';

export interface WatchersReport {
  operations: number;
  frames: number;
  openings: number;
  restarts: number;
}

const namespaces = ['default', 'kube-public', 'kube-node-lease'];
const configMaps = '/api/v1/configmaps';
const nodes = '/api/v1/nodes';
const namesCount = 25;
/** Changes kept in memory: so few that many a watch resumes from the log. */
const changesMax = 64;

const all: Scope['matches'] = () => true;
const selections: readonly (readonly [query: string, matches: Scope['matches']])[] = [
  ['', all],
  ['labelSelector=tier%3Dgold', ({ metadata }) => metadata.labels?.['tier'] === 'gold'],
  ['labelSelector=tier%21%3Dgold', ({ metadata }) => metadata.labels?.['tier'] !== 'gold'],
  ['labelSelector=%21tier', ({ metadata }) => metadata.labels?.['tier'] === undefined],
  ['fieldSelector=metadata.name%3Dx3', ({ metadata }) => metadata.name === 'x3'],
];
const nodeSelections: typeof selections = [
  ['', all],
  ['fieldSelector=spec.unschedulable%3Dtrue', ({ spec }) => spec?.unschedulable === true],
  ['labelSelector=tier+in+(gold,tin)', ({ metadata }) => ['gold', 'tin'].includes(metadata.labels?.['tier'] ?? '')],
];
const forms: readonly Interest['form'][] = ['plain', 'plain', 'Table', 'PartialObjectMetadata'];

class Run {
  private readonly log: EventLog = createMemoryLog();
  private readonly random: Random;
  private readonly maps = new Oracle();
  private readonly nodes = new Oracle();
  private readonly watchers: Watcher[] = [];
  private readonly due: (() => void)[] = [];
  private api!: ApiFixture;
  private now = fixtureStart;
  private readonly report: WatchersReport = { operations: 0, frames: 0, openings: 0, restarts: 0 };

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async play(operations: number, watchersCount: number): Promise<WatchersReport> {
    await this.start();
    await this.learn();
    for (let i = 0; i < watchersCount; i++) this.watchers.push(new Watcher(`watcher ${i}`, this.interest(i), this.random));
    for (const watcher of this.watchers) await this.open(watcher);
    while (this.report.operations < operations) await this.step();
    await this.settle();
    for (const watcher of this.watchers) this.report.frames += watcher.frames;
    for (const watcher of this.watchers) watcher.close();
    await this.api.close();
    return this.report;
  }

  private async start(): Promise<void> {
    this.api = await ApiFixture.start(this.log, this.now, changesMax, undefined, () => (handOver) => this.due.push(handOver));
  }

  /** What there is from the beginning. */
  private async learn(): Promise<void> {
    const { items } = (await this.api.request('GET', configMaps)).json as { items: Stored[] };
    const byVersion = (a: Stored, b: Stored): number => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
    for (const item of items.sort(byVersion)) this.maps.wrote(Object.assign({ kind: 'ConfigMap', apiVersion: 'v1' }, item));
  }

  private interest(i: number): Interest {
    const { random } = this;
    const form = random.pick(forms);
    if (i % 5 === 4) {
      const [query, matches] = random.pick(nodeSelections);
      return { path: nodes, oracle: this.nodes, scope: { matches }, query, form };
    }
    const [query, matches] = random.pick(selections);
    const namespace = random.oneIn(2) ? random.pick(namespaces) : undefined;
    const path = namespace === undefined ? configMaps : `/api/v1/namespaces/${namespace}/configmaps`;
    return { path, oracle: this.maps, scope: { namespace, matches }, query, form };
  }

  private async open(watcher: Watcher): Promise<void> {
    this.report.openings++;
    await watcher.open(this.api);
  }

  private async step(): Promise<void> {
    const { random, report } = this;
    if (random.oneIn(12)) await this.together();
    else await (random.oneIn(5) ? this.writeNode() : this.writeMap(random.pick(namespaces), `x${random.below(namesCount)}`));
    report.operations++;
    if (random.oneIn(3)) this.handOver();
    if (random.oneIn(6)) random.pick(this.watchers).dawdle();
    if (random.oneIn(8)) await this.open(random.pick(this.watchers));
    if (random.oneIn(40)) this.pass(60_000);
    if (random.oneIn(2_000)) await this.restart();
    if (random.oneIn(20)) random.pick(this.watchers).check();
    for (const watcher of this.watchers) if (!watcher.isOpen) await this.open(watcher);
  }

  private handOver(): void {
    for (const handOver of this.due.splice(0)) handOver();
  }

  /** Time passes for bookmarks and time-outs. */
  private pass(ms: number): void {
    mock.timers.tick(ms);
  }

  /** Another process goes on with the log; whoever watched has to come back. */
  private async restart(): Promise<void> {
    this.report.restarts++;
    this.handOver();
    for (const watcher of this.watchers) watcher.close();
    await this.api.close();
    this.now += 86_400_000;
    await this.start();
  }

  /** Several writes at the same time; the versions tell in which order they were made. */
  private async together(): Promise<void> {
    const keys = new Set(Array.from({ length: 4 }, () => `x${this.random.below(namesCount)}`));
    const written = await Promise.all([...keys].map((name) => this.put('default', name)));
    const known = written.filter((object) => object !== undefined);
    for (const object of known.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion)))
      this.maps.wrote(object);
  }

  private async writeMap(namespace: string, name: string): Promise<void> {
    if (this.random.oneIn(5)) return this.remove(this.maps, `/api/v1/namespaces/${namespace}/configmaps/${name}`, `${namespace}/${name}`);
    const object = await this.put(namespace, name);
    if (object) this.maps.wrote(object);
  }

  /** Creates it, or changes it; now and then to what it is already. */
  private async put(namespace: string, name: string): Promise<Stored | undefined> {
    const { random } = this;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const tier = random.pick(['gold', 'gold', 'tin', null]);
    const data = { n: String(random.below(3)) };
    const labels = { tier };
    if (this.maps.get(`${namespace}/${name}`)) return this.patch(`${path}/${name}`, { metadata: { labels }, data });
    return this.create(path, { metadata: { name, ...(tier === null ? {} : { labels }) }, data });
  }

  private async writeNode(): Promise<void> {
    const { random } = this;
    const name = `n${random.below(8)}`;
    const known = this.nodes.get(`/${name}`);
    if (known && random.oneIn(4)) return this.remove(this.nodes, `${nodes}/${name}`, `/${name}`);
    const spec = { unschedulable: random.oneIn(2) };
    const labels = { tier: random.pick(['gold', 'tin', 'lead']) };
    this.nodes.wrote(
      await (known
        ? this.patch(`${nodes}/${name}`, { metadata: { labels }, spec })
        : this.create(nodes, { metadata: { name, labels }, spec })),
    );
  }

  private create(path: string, body: object): Promise<Stored> {
    return this.answered('POST', path, body);
  }

  private patch(path: string, body: object): Promise<Stored> {
    return this.answered('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });
  }

  private async answered(method: string, path: string, body: object, headers?: Record<string, string>): Promise<Stored> {
    const { status, json } = await this.api.request(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${json.message}`);
    return json as Stored;
  }

  private async remove(oracle: Oracle, path: string, key: string): Promise<void> {
    const known = oracle.get(key) !== undefined;
    const { status, json } = await this.api.request('DELETE', path);
    if (status !== (known ? 200 : 404)) throw new Error(`DELETE ${path} was answered ${status}: ${json.message}`);
    if (known) oracle.deleted(key, this.api.runtime.state.position);
  }

  /** Nothing happens any more: everybody hears the rest. */
  private async settle(): Promise<void> {
    for (let turn = 0; turn < turnsMax; turn++) {
      this.handOver();
      for (const watcher of this.watchers) watcher.drain();
      if (this.watchers.every((watcher) => watcher.isComplete)) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const missing = this.watchers.find((watcher) => !watcher.isComplete);
    if (missing) throw new Error(`${missing.name} has not been told everything`);
  }
}

const turnsMax = 10_000;

/** @throws Error for the first frame that is missing, doubled, out of order or not what was written */
export async function playWatchers(options: { operations: number; watchers: number; seed: number }): Promise<WatchersReport> {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  try {
    return await new Run(options.seed).play(options.operations, options.watchers);
  } finally {
    mock.timers.reset();
  }
}
