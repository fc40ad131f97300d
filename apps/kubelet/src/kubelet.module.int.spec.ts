import { afterEach, describe, expect, it } from 'vitest';
import { ModuleUnderTest } from '../../../libs/app-shell/src/module-under-test.fixture';
import { KubeletModule } from './kubelet.module';

let app: ModuleUnderTest;
afterEach(() => app.close());

describe('the kubelet as a Nest module', () => {
  it('registers nodes with the settings it was given', async () => {
    app = await ModuleUnderTest.start(KubeletModule, { kubelet: { startupMs: 0 } });
    expect((await app.started()).toSorted()).toEqual([
      'kubelet',
      'kubelet-eviction',
      'kubelet-registration',
      'kubelet-shutdown',
      'kubelet-static-pods',
    ]);
    await app.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1' },
      status: { capacity: { cpu: '4', memory: '8Gi', pods: '110' } },
    });
    const node = await app.until('nodes', '/node-1', ({ status }) =>
      ((status?.conditions ?? []) as { type: string; status: string }[]).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    expect(node.status).toMatchObject({ allocatable: { cpu: '4' } });
  });

  it('runs the chosen controllers alone', async () => {
    app = await ModuleUnderTest.start(KubeletModule, { controllers: { kubelet: ['kubelet-registration'] } });
    expect(await app.started()).toEqual(['kubelet-registration']);
  });
});
