import { afterEach, describe, expect, it } from 'vitest';
import { ModuleUnderTest } from '../../../libs/app-shell/src/module-under-test.fixture';
import { ControllerManagerModule } from './controller-manager.module';

let app: ModuleUnderTest;
afterEach(() => app.close());

const nodes = { count: 2, cpu: '4', memory: '8Gi', pods: 110 };

describe('the controller manager as a Nest module', () => {
  it('makes the nodes that its options ask for', async () => {
    app = await ModuleUnderTest.start(ControllerManagerModule, { controllerManager: { nodes } });
    await app.until('nodes', '/node-2', () => true);
    await app.until('nodes', '/node-1', ({ status }) => (status?.capacity as { cpu: string } | undefined)?.cpu === '4');
  });

  it('has no controller for what nothing is given for', async () => {
    app = await ModuleUnderTest.start(ControllerManagerModule);
    const started = await app.started();
    expect(started).toContain('garbage-collector-controller');
    expect(started).not.toContain('node-bootstrap');
    expect(started).not.toContain('root-ca-cert-publisher-controller');
  });
});
