import { describe, expect, it } from 'vitest';
import { verify } from '#libs/audit';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type Origin,
} from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { schedulerController } from './scheduler-controller';

const start = Date.parse('2026-01-01T00:00:00Z');

async function world() {
  const log = createMemoryLog();
  const clock = new VirtualClock(start);
  const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'test', seed: 's' });
  const writer = new Writer(runtime);
  const executive = new SimulationExecutive(runtime, clock);
  let operation = 0;
  const origin = (): Origin => ({ actor: 'user:admin', operation: `request/${operation}`, correlationId: `c${operation++}` });
  // Pods are put into the log as they would be after admission: this is about the scheduler alone.
  const put = async (resource: string, object: JsonObject): Promise<void> => {
    const { namespace, name } = object.metadata as { namespace?: string; name: string };
    const stream = `local.${resource}-${namespace ? `${namespace}/` : ''}${name}`;
    const metadata = { uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, ...(object.metadata as object) };
    await runtime.append(stream, [{ type: 'Created', data: { object: { ...object, metadata } } as never }], 'no_stream', origin(), '0');
  };
  const node = (name: string, cpu: string) =>
    put('nodes', { metadata: { name }, spec: {}, status: { allocatable: { cpu, memory: '8Gi', pods: '110' } } });
  const pod = (name: string, cpu: string, priority = 0, more: JsonObject = {}) =>
    put('pods', {
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }],
        priority,
        terminationGracePeriodSeconds: 30,
        ...more,
      },
      status: { phase: 'Pending' },
    });
  const get = (name: string): KubeObject | undefined => runtime.state.get('pods', 'default', name);
  const run = async (...controllers: Controller<never>[]) => {
    for (const controller of controllers) await new ControllerShell(runtime, writer, controller as unknown as Controller).start();
    await executive.settle();
  };
  return { log, runtime, writer, executive, origin, node, pod, get, run };
}

const scheduler = () => schedulerController() as unknown as Controller<never>;
const controllers = () => [schedulerController() as unknown as Controller];

describe('the scheduler on the event stream', () => {
  it('binds many pods without over-filling a node, decisions pipelined, every one derivable', async () => {
    const { log, runtime, node, pod, run } = await world();
    for (let i = 0; i < 5; i++) await node(`n${i}`, '4');
    for (let i = 0; i < 25; i++) await pod(`p${i}`, '1');
    await run(scheduler());
    const byNode = new Map<string, number>();
    for (const { spec } of runtime.state.list('pods')) if (spec.nodeName) byNode.set(spec.nodeName, (byNode.get(spec.nodeName) ?? 0) + 1);
    expect([...byNode.values()]).toEqual([4, 4, 4, 4, 4]);
    const report = await verify({ log, cluster: 'local', seed: 's', controllers: controllers() });
    expect(report).toMatchObject({ agreed: 25, differ: 0, otherVersion: 0, notDerivable: 0, differences: [], chain: [] });
  });

  it('preempts: nomination, mark and graceful deletion of the victim, then the binding once it is gone', async () => {
    const { log, runtime, writer, executive, origin, node, pod, get, run } = await world();
    await node('n1', '2');
    await pod('low', '2');
    await run(scheduler());
    expect(get('low')?.spec.nodeName).toBe('n1');
    await pod('high', '2', 1000);
    await executive.settle();
    expect(get('high')?.status.nominatedNodeName).toBe('n1');
    expect(get('high')?.spec.nodeName).toBeUndefined();
    expect(get('low')?.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(get('low')?.status.conditions.map((c: { type: string; reason?: string }) => [c.type, c.reason])).toContainEqual([
      'DisruptionTarget',
      'PreemptionByScheduler',
    ]);
    await executive.runFor(5_000);
    expect(get('high')?.spec.nodeName).toBeUndefined();
    await writer.write(
      { verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'low' }, options: { gracePeriodSeconds: 0 } },
      origin(),
    );
    await executive.settle();
    await executive.runFor(20_000);
    expect(get('high')?.spec.nodeName).toBe('n1');
    const decided = [];
    for await (const page of log.readStream('local.scheduler-decisions')) decided.push(...page.map((event) => event.type));
    expect(decided.filter((type) => type === 'PreemptionDecided')).toHaveLength(1);
    const report = await verify({ log, cluster: 'local', seed: 's', controllers: controllers() });
    expect(report).toMatchObject({ differ: 0, notDerivable: 0, differences: [], chain: [] });
    expect(runtime.pending).toBe(0);
  });

  it('leaves the nodes alone for a pod that never preempts', async () => {
    const { node, pod, get, run, executive } = await world();
    await node('n1', '2');
    await pod('low', '2');
    await run(scheduler());
    await pod('polite', '2', 1000, { preemptionPolicy: 'Never' });
    await executive.settle();
    expect(get('low')?.metadata.deletionTimestamp).toBeUndefined();
    expect(get('polite')?.status.conditions[0].message).toContain('not eligible due to preemptionPolicy=Never');
  });
});
