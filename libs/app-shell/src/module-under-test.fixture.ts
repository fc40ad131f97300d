import type { Type } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { filter, firstValueFrom, startWith } from 'rxjs';
import { ClusterRuntime, LiveClock, Writer } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { ControlPlaneModule } from './control-plane.module';
import type { AppOptions } from './options';

/** One app as its users compose it: its module beside the ControlPlaneModule, on a log in memory. */
export class ModuleUnderTest {
  private operations = 0;

  private constructor(
    readonly runtime: ClusterRuntime,
    readonly module: TestingModule,
  ) {}

  /** @param override puts other providers in the place of the module's own */
  static async start(
    module: Type,
    options: Partial<AppOptions> = {},
    override: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
  ): Promise<ModuleUnderTest> {
    const whole = { cluster: 'local', seed: 's', ...options };
    const log = createMemoryLog({ live: true });
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock: new LiveClock(), writer: 'test', seed: 's' });
    const builder = Test.createTestingModule({ imports: [ControlPlaneModule.forRoot(runtime, whole), module] });
    const made = await override(builder).compile();
    await made.init();
    return new ModuleUnderTest(runtime, made);
  }

  /** @param object as a user writes it @throws Error with the message of a refusal */
  async create(resource: string, object: JsonObject): Promise<void> {
    const { namespace } = object.metadata as { namespace?: string };
    await this.write({ verb: 'create', resource, namespace, object: object as unknown as KubeObject });
  }

  private async write(request: WriteRequest): Promise<void> {
    const operation = `request/${this.operations++}`;
    const result = await this.module.get(Writer).write(request, { actor: 'user:test', operation, correlationId: operation });
    if (result.kind === 'refused') throw new Error(result.status.message);
  }

  /** Resolves as soon as the object is as it should be. */
  async until(resource: string, key: string, holds: (object: KubeObject) => boolean): Promise<KubeObject> {
    const { folded$, state } = this.runtime;
    const object = (): KubeObject | undefined => state.byKey(resource, key);
    const is = (): boolean => {
      const found = object();
      return found !== undefined && holds(found);
    };
    await firstValueFrom(folded$.pipe(startWith([]), filter(is)));
    return object() as KubeObject;
  }

  /** Names of the controllers that have come up, in the order of the log. */
  async started(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of this.runtime.options.log.readAll())
      for (const { type, data } of page) if (type === 'ControllerStarted') names.push(data.controller as string);
    return names;
  }

  async close(): Promise<void> {
    await this.module.close();
    await this.runtime.close();
  }
}
