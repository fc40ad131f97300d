import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';
import { verify, type VerifyReport } from '#libs/audit';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type WriteResult,
} from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';

/** A cluster in memory and virtual time, with the controllers given beside priority admission. */
export class ClusterWorld {
  private operation = 0;
  readonly log = createMemoryLog();
  readonly clock: VirtualClock;
  runtime!: ClusterRuntime;
  executive!: SimulationExecutive;
  private writer!: Writer;

  private constructor(
    private readonly controllers: Controller[],
    start: number,
  ) {
    this.clock = new VirtualClock(start);
  }

  static async start(controllers: readonly Controller[], start = Date.parse('2026-01-01T12:00:00Z')): Promise<ClusterWorld> {
    const world = new ClusterWorld([...priorityAdmissionControllers(), ...controllers], start);
    world.runtime = await ClusterRuntime.start({ log: world.log, cluster: 'local', clock: world.clock, writer: 'test', seed: 's' });
    world.writer = new Writer(world.runtime);
    world.executive = new SimulationExecutive(world.runtime, world.clock);
    for (const controller of world.controllers) await new ControllerShell(world.runtime, world.writer, controller).start();
    return world;
  }

  /** Sends a request and lets everything follow that needs no time. */
  async send(request: WriteRequest): Promise<WriteResult> {
    const id = this.operation++;
    const writing = this.writer.write(request, { actor: 'user:admin', operation: `request/${id}`, correlationId: `c${id}` });
    await this.executive.settle();
    return writing;
  }

  async create(resource: string, namespace: string | undefined, object: JsonObject): Promise<KubeObject> {
    const result = await this.send({ verb: 'create', resource, namespace, object: object as unknown as KubeObject });
    if (result.kind !== 'written') throw new Error(`not created: ${JSON.stringify(result)}`);
    return result.object;
  }

  patch(resource: string, namespace: string | undefined, name: string, patch: JsonObject, subresource?: 'status'): Promise<WriteResult> {
    return this.send({
      verb: 'patch',
      target: { resource, namespace, name },
      patchType: 'merge',
      patch,
      ...(subresource ? { subresource } : {}),
    });
  }

  get(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.runtime.state.get(resource, namespace, name);
  }

  list(resource: string, namespace?: string): KubeObject[] {
    return [...this.runtime.state.list(resource, namespace)];
  }

  /** A namespace with the account that pods need. */
  async namespace(name: string): Promise<void> {
    await this.create('namespaces', undefined, { metadata: { name } });
    if (!this.get('serviceaccounts', name, 'default')) await this.create('serviceaccounts', name, { metadata: { name: 'default' } });
  }

  /** What was told of objects, in order: `reason: message`. */
  async reports(): Promise<string[]> {
    const found: string[] = [];
    for await (const page of this.log.readAll({ filter: { streamPrefixes: ['local.'] } })) {
      for (const { type, data } of page) if (type === 'Reported') found.push(`${data.reason}: ${data.message}`);
    }
    return found;
  }

  verify(): Promise<VerifyReport> {
    return verify({ log: this.log, cluster: 'local', seed: 's', controllers: this.controllers });
  }
}
