import { describe, expect, it } from 'vitest';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';
import { verify } from '#libs/audit';
import { ClusterRuntime, ControllerShell, SimulationExecutive, VirtualClock, Writer } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';

const start = Date.parse('2026-01-01T00:00:00Z');

async function world() {
  const log = createMemoryLog();
  const clock = new VirtualClock(start);
  const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'test', seed: 's' });
  const writer = new Writer(runtime);
  const executive = new SimulationExecutive(runtime, clock);
  let operation = 0;
  const origin = () => ({ actor: 'user:admin', operation: `request/${operation}`, correlationId: `c${operation++}` });
  await writer.write({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } as never }, origin());
  await writer.write(
    { verb: 'create', resource: 'serviceaccounts', namespace: 'default', object: { metadata: { name: 'default' } } as never },
    origin(),
  );
  return { log, clock, runtime, writer, executive, origin };
}

const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'app:1' }] } } as never;

describe('the control loop', () => {
  it('creates a pod once its priority has been reviewed, and verifies the review', async () => {
    const { log, runtime, writer, executive, origin } = await world();
    for (const controller of priorityAdmissionControllers()) await new ControllerShell(runtime, writer, controller).start();
    const writing = writer.write({ verb: 'create', resource: 'pods', namespace: 'default', object: pod }, origin());
    await executive.settle();
    expect(await writing).toMatchObject({ kind: 'written', created: true });
    expect(runtime.state.get('pods', 'default', 'web')?.spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    const report = await verify({
      log,
      cluster: 'local',
      seed: 's',
      controllers: priorityAdmissionControllers(),
    });
    expect(report).toMatchObject({ agreed: 1, differ: 0, notDerivable: 0, chain: [] });
  });

  it('creates nothing when the reviewer is away', async () => {
    const { runtime, writer, executive, origin } = await world();
    const writing = writer.write({ verb: 'create', resource: 'pods', namespace: 'default', object: pod }, origin());
    await executive.runFor(6_000);
    expect(await writing).toMatchObject({ kind: 'refused', status: { code: 500, reason: 'InternalError' } });
    expect(runtime.state.get('pods', 'default', 'web')).toBeUndefined();
  });
});
