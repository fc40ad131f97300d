import { afterEach, describe, expect, it } from 'vitest';
import { ModuleUnderTest } from '../../../libs/app-shell/src/module-under-test.fixture';
import { PdbControllerModule } from './pdb-controller.module';

let app: ModuleUnderTest;
afterEach(() => app.close());

describe('the pdb controller as a Nest module', () => {
  it('keeps the status of a budget', async () => {
    app = await ModuleUnderTest.start(PdbControllerModule);
    await app.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    await app.create('poddisruptionbudgets.policy', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    const budget = await app.until('poddisruptionbudgets.policy', 'default/web', ({ status }) => status?.observedGeneration === 1);
    expect(budget.status).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0 });
  });

  it('runs the chosen controllers alone', async () => {
    app = await ModuleUnderTest.start(PdbControllerModule, { controllers: { 'pdb-controller': ['eviction'] } });
    expect(await app.started()).toEqual(['eviction']);
  });
});
