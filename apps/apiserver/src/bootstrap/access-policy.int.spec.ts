import { describe, expect, it } from 'vitest';
import { verify } from '#libs/audit';
import { ClusterRuntime, VirtualClock, Writer } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { policyObjects, prepareWrite, type Prepared } from '#libs/kube-api';
import { ensureAccessPolicy, madeOf } from './access-policy';
import { bootstrapCluster } from './bootstrap-cluster';

const now = Date.parse('2026-01-01T00:00:00Z');
const rbac = 'rbac.authorization.k8s.io';
const start = (log = createMemoryLog(), writer = 'one'): Promise<ClusterRuntime> =>
  ClusterRuntime.start({ log, cluster: 'local', clock: new VirtualClock(now), writer, seed: 's' });

describe('the roles and bindings that a cluster begins with', () => {
  it('are made as the write path would make them', async () => {
    const runtime = await start();
    await bootstrapCluster(runtime, new Writer(runtime));
    for (const { resource, object } of policyObjects()) {
      const { namespace } = object.metadata;
      const prepared = prepareWrite(runtime.state, { verb: 'create', resource, namespace, object }, { now, id: 'i' });
      const [facts] = (prepared as Extract<Prepared, { kind: 'append' }>).frames;
      expect(facts).toEqual([{ type: 'Created', data: { object: madeOf(object, 'i', now) } }]);
    }
  });

  it('are made once, and their log is as it has to be', async () => {
    const log = createMemoryLog();
    const runtime = await start(log);
    await bootstrapCluster(runtime, new Writer(runtime));
    await ensureAccessPolicy(runtime, new Writer(runtime));
    const { position } = runtime.state;
    await ensureAccessPolicy(runtime, new Writer(runtime));
    expect(runtime.state.position).toBe(position);
    expect([...runtime.state.list(`clusterroles.${rbac}`)]).toHaveLength(68);
    expect((await verify({ log, cluster: 'local', controllers: [] })).findings).toEqual([]);
  });
});
