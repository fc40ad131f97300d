import { afterEach, describe, expect, it } from 'vitest';
import type { Controller } from '#libs/control-loop';
import { CONTROLLERS } from '#libs/app-shell';
import { ModuleUnderTest } from '../../../libs/app-shell/src/module-under-test.fixture';
import { SchedulerModule } from './scheduler.module';

let app: ModuleUnderTest | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

describe('the scheduler as a Nest module', () => {
  it('runs one scheduler, by the name it was given', async () => {
    app = await ModuleUnderTest.start(SchedulerModule, { scheduler: { identity: 'second' } });
    expect(await app.started()).toEqual(['scheduler-second']);
  });

  it('is not made of a configuration that cannot be', async () => {
    const config = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', profiles: 'none' };
    await expect(ModuleUnderTest.start(SchedulerModule, { scheduler: { config } })).rejects.toThrow(/profiles/);
  });

  it('takes other controllers in the place of its own', async () => {
    const idle: Controller = {
      name: 'idle',
      behaviour: '1',
      stream: 'scheduler-decisions',
      config: {},
      initial: () => ({}),
      apply: () => undefined,
      next: () => undefined,
      decide: () => undefined,
      decided: () => undefined,
      settled: () => undefined,
      nextWake: () => undefined,
    };
    app = await ModuleUnderTest.start(SchedulerModule, {}, (builder) => builder.overrideProvider(CONTROLLERS).useValue([idle]));
    expect(await app.started()).toEqual(['idle']);
  });
});
