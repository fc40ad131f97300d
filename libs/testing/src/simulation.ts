import type { VerifyReport } from '#libs/audit';
import type { ClusterState, FoldedAppend, LogTree } from '#libs/cluster-state';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type Origin,
  type WriteResult,
} from '#libs/control-loop';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { fact, objectStream, type DecisionStream, type Fact } from '#libs/events';
import { derivedId, type GroupResource, type JsonObject, type KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';

export interface SimulationSetup {
  /** Cluster time at the start, ms since the epoch. */
  start?: number;
  /** Shared with others; one of its own that begins at `start` when absent. */
  clock?: VirtualClock;
  seed?: string;
  cluster?: string;
  /** Names each start among the log's writers: `WRITER`, `WRITER-1` … */
  writer?: string;
  /** Where the events go; memory when absent. */
  log?: EventLog;
  /** A state to begin from, instead of from the log's first event. */
  from?: ClusterState;
  tree?: LogTree;
  /** Leaves `appends` empty, which otherwise grow with the log. */
  forgetful?: boolean;
}

export const simulationStart = Date.parse('2026-01-01T00:00:00Z');

/**
 * Controllers over one log in virtual time: whichever are run, nothing but what a test does happens beside them, and what they do
 * depends on seed and actions alone. Time passes when `run` lets it.
 */
export class Simulation {
  readonly clock: VirtualClock;
  readonly log: EventLog;
  runtime!: ClusterRuntime;
  writer!: Writer;
  executive!: SimulationExecutive;
  /** What has been folded since the last start, oldest first. */
  readonly appends: FoldedAppend[] = [];
  /** Those that were started last, in their order. */
  readonly controllers: Controller[] = [];
  private readonly shells: ControllerShell<unknown>[] = [];
  private operations = 0;
  private starts = 0;

  private constructor(private readonly setup: SimulationSetup) {
    this.clock = setup.clock ?? new VirtualClock(setup.start ?? simulationStart);
    this.log = setup.log ?? createMemoryLog({ now: () => this.clock.now() });
  }

  /** A log and a window on it, and the controllers given. */
  static async start(controllers: readonly Controller[] = [], setup: SimulationSetup = {}): Promise<Simulation> {
    const simulation = new Simulation(setup);
    await simulation.open(setup.from);
    await simulation.add(...controllers);
    return simulation;
  }

  /** Starts further controllers, one after the other. */
  async add(...controllers: readonly Controller[]): Promise<void> {
    for (const controller of controllers) {
      const shell = new ControllerShell(this.runtime, this.writer, controller);
      this.controllers.push(controller);
      this.shells.push(shell);
      await shell.start();
    }
  }

  /** Ends everything as a kill does and starts it again over the same log; other controllers where they are given. */
  async restart(controllers: readonly Controller[] = [...this.controllers]): Promise<void> {
    await this.close();
    this.controllers.length = 0;
    this.appends.length = 0;
    await this.open();
    await this.add(...controllers);
  }

  async close(): Promise<void> {
    for (const shell of this.shells.splice(0)) shell.stop();
    await this.runtime.close();
  }

  private async open(from?: ClusterState): Promise<void> {
    const { cluster = 'local', seed = 's', writer = 'simulation', tree } = this.setup;
    const name = this.starts === 0 ? writer : `${writer}-${this.starts}`;
    this.starts++;
    this.runtime = await ClusterRuntime.start({ log: this.log, cluster, clock: this.clock, writer: name, seed, tree, from });
    this.writer = new Writer(this.runtime);
    this.executive = new SimulationExecutive(this.runtime, this.clock);
    if (!this.setup.forgetful) this.runtime.folded$.subscribe((appends) => this.appends.push(...appends));
  }

  get state(): ClusterState {
    return this.runtime.state;
  }

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.clock.now() - (this.setup.start ?? simulationStart);
  }

  /** Lets cluster time pass, ms. */
  run(ms: number): Promise<void> {
    return this.executive.runFor(ms);
  }

  /** A user's write; resolves when it has been answered. Virtual time moves only if the answer needs it. */
  write(request: WriteRequest, user = 'admin'): Promise<WriteResult> {
    return this.writer.write(request, this.origin(user));
  }

  /** As `write`, and lets everything happen that follows from it at once. */
  async send(request: WriteRequest, user = 'admin'): Promise<WriteResult> {
    const writing = this.write(request, user);
    await this.executive.settle();
    return writing;
  }

  /** Creates an object as a user does, and gives it as it was stored. @throws Error where it is refused */
  async create(resource: GroupResource, namespace: string | undefined, object: JsonObject): Promise<KubeObject> {
    const result = await this.send({ verb: 'create', resource, namespace, object: object as unknown as KubeObject });
    if (result.kind !== 'written') throw new Error(`not created: ${JSON.stringify(result)}`);
    return result.object;
  }

  /** Puts an object there as an earlier start of the cluster would have left it: nobody admits or defaults it. */
  async put(resource: GroupResource, object: KubeObject): Promise<void> {
    const { namespace, name } = object.metadata;
    await this.append(objectStream(this.runtime.options.cluster, resource, namespace, name), [fact('Created', { object })]);
  }

  /** One append of one frame behind whatever is in the stream. */
  async append(stream: string, facts: Fact[]): Promise<void> {
    const head = this.state.head(stream);
    const stamping = { origin: this.origin('admin'), label: '0', follows: head?.digest };
    await this.runtime.append(stream, [facts], 'any', stamping);
  }

  /** A record on a decision stream, as another app would leave it. */
  async record(stream: DecisionStream, facts: Fact[]): Promise<void> {
    await this.runtime.appendDecision(stream, facts, this.origin('admin'), '0');
  }

  patch(
    resource: GroupResource,
    namespace: string | undefined,
    name: string,
    patch: JsonObject,
    subresource?: 'status',
  ): Promise<WriteResult> {
    const target = { resource, namespace, name };
    return this.send({ verb: 'patch', target, patchType: 'merge', patch, ...(subresource ? { subresource } : {}) });
  }

  delete(resource: GroupResource, namespace: string | undefined, name: string, gracePeriodSeconds?: number): Promise<WriteResult> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return this.write({ verb: 'delete', target: { resource, namespace, name }, options });
  }

  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.state.get(resource, namespace, name);
  }

  list(resource: GroupResource, namespace?: string): KubeObject[] {
    return [...this.state.list(resource, namespace)];
  }

  /** Everything in the log, or all events of one type. */
  async events(type?: string): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for await (const page of this.log.readAll()) found.push(...page.filter((event) => type === undefined || event.type === type));
    return found;
  }

  /** What was told of objects, in order: `reason: message`. */
  async reports(): Promise<string[]> {
    return (await this.events('Reported')).map(({ data }) => `${data.reason}: ${data.message}`);
  }

  /** The log's own proof, with the controllers that run or those given. */
  async verify(controllers: readonly Controller[] = this.controllers): Promise<VerifyReport> {
    const { verify } = await import('#libs/audit');
    const { cluster, seed } = this.runtime.options;
    return verify({ log: this.log, cluster, seed, controllers });
  }

  /** Who asks, and an operation of its own. */
  origin(user: string): Origin {
    const { writer } = this.setup;
    // Uids follow from it: of several starts on a log, no two have an operation of the same name.
    const operation = `${writer === undefined ? '' : `${writer}/`}request/${this.operations++}`;
    return { actor: `user:${user}`, operation, correlationId: derivedId(`${this.runtime.seed}/${operation}`) };
  }
}
