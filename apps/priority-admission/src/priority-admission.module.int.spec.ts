import { afterEach, describe, expect, it } from 'vitest';
import { ModuleUnderTest } from '../../../libs/app-shell/src/module-under-test.fixture';
import { PriorityAdmissionModule } from './priority-admission.module';

let app: ModuleUnderTest;
afterEach(() => app.close());

function createDefault(name: string): Promise<void> {
  const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 10, globalDefault: true };
  return app.create('priorityclasses.scheduling.k8s.io', object);
}

describe('priority admission as a Nest module', () => {
  it('answers the reviews that writes wait for', async () => {
    app = await ModuleUnderTest.start(PriorityAdmissionModule);
    await createDefault('first');
    await expect(createDefault('second')).rejects.toThrow('Only one default can exist');
  });
});
