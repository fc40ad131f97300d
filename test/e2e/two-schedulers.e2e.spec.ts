import { afterEach, describe, expect, it } from 'vitest';
import { ClusterRuntime, ControllerShell, LiveClock, Writer, type Controller } from '#libs/control-loop';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import { kubeletControllers } from '#libs/kubelet';
import { schedulerController } from '#libs/scheduler';
import { eventually } from './running-cluster';

/** The same log, seen a little late: as a process on a busy machine would. */
function lagging(log: EventLog, lagMs: number): EventLog {
  return {
    ...log,
    append: (stream, events, expected) => log.append(stream, events, expected),
    readStream: (stream, options) => log.readStream(stream, options),
    readAll: (options) => log.readAll(options),
    head: (filter) => log.head(filter),
    onAvailability: (listener) => log.onAvailability(listener),
    close: () => Promise.resolve(),
    subscribe: (options, handlers) =>
      log.subscribe(options, {
        ...handlers,
        events: async (batch) => {
          await new Promise((resolve) => setTimeout(resolve, lagMs));
          await handlers.events(batch);
        },
        caughtUp: () => handlers.caughtUp(),
        failed: (error) => handlers.failed(error),
      }),
  };
}

/**
 * Two schedulers at once over one store, neither electing a leader: each has its own window on the log, so both see every pod
 * pending and race for it. The expected revision of the pod's stream lets one binding through; capacity that both counted
 * as free is settled by the kubelet's admission.
 */
describe('two schedulers over one store', () => {
  const runtimes: ClusterRuntime[] = [];
  afterEach(async () => {
    await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
  });

  it('bind no pod twice; nodes over-filled by the race are settled by the kubelet', async () => {
    const log = createMemoryLog();
    const start = async (writer: string, lagMs = 0): Promise<ClusterRuntime> => {
      const runtime = await ClusterRuntime.start({
        log: lagMs > 0 ? lagging(log, lagMs) : log,
        cluster: 'local',
        clock: new LiveClock(),
        writer,
        seed: 's',
      });
      runtimes.push(runtime);
      return runtime;
    };
    const setup = await start('setup');
    const put = async (resource: string, object: JsonObject): Promise<void> => {
      const { namespace, name } = object.metadata as { namespace?: string; name: string };
      const metadata = { uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, ...(object.metadata as object) };
      const stream = `local.${resource}-${namespace ? `${namespace}/` : ''}${name}`;
      await setup.append(stream, [[{ type: 'Created', data: { object: { ...object, metadata } } as never }]], 'no_stream', {
        origin: { actor: 'user:admin', operation: name, correlationId: name },
        label: '0',
        follows: undefined,
      });
    };
    const pods = 120;
    for (let i = 0; i < 10; i++)
      await put('nodes', {
        metadata: { name: `n${i}` },
        spec: {},
        status: { capacity: { cpu: '8', memory: '8Gi', pods: '110' }, allocatable: { cpu: '8', memory: '8Gi', pods: '110' } },
      });
    const pod = (i: number): JsonObject => ({
      metadata: { name: `p${i}`, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '1' } } }],
        priority: 0,
        schedulerName: ['default-scheduler', 'green', 'blue'][i % 3] as string,
        terminationGracePeriodSeconds: 1,
      },
      status: { phase: 'Pending', qosClass: 'Burstable' },
    });
    const kubelet = await start('kubelet');
    for (const controller of kubeletControllers({ startupMs: 10 }))
      await new ControllerShell(kubelet, new Writer(kubelet), controller as Controller).start();
    await Promise.all(
      ['green', 'blue'].map(async (identity) => {
        const runtime = await start(identity, identity === 'green' ? 3 : 7);
        // Both answer for the default scheduler's pods, and each for some of its own.
        const profiles = [{ schedulerName: 'default-scheduler' }, { schedulerName: identity }];
        const config = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', profiles };
        await new ControllerShell(runtime, new Writer(runtime), schedulerController({ identity, config }) as unknown as Controller).start();
      }),
    );
    // They are there before the pods are, so that both see each of them come.
    await Promise.all(Array.from({ length: pods }, (_, i) => put('pods', pod(i))));
    const list = () => [...setup.state.list('pods')];
    await eventually('every slot is used by a running pod', () => list().filter(({ status }) => status.phase === 'Running').length === 80);

    const bindings = new Map<string, number>();
    for await (const page of log.readAll()) {
      for (const event of page as readonly RecordedEvent[])
        if (event.type === 'PodScheduled') bindings.set(event.stream, (bindings.get(event.stream) ?? 0) + 1);
    }
    expect([...bindings.values()].filter((count) => count !== 1)).toEqual([]);
    const used = new Map<string, number>();
    for (const { spec, status } of list()) if (status.phase === 'Running') used.set(spec.nodeName, (used.get(spec.nodeName) ?? 0) + 1);
    expect([...used.values()].every((count) => count <= 8)).toBe(true);
    const refused = list().filter(({ status }) => status.phase === 'Failed');
    expect(refused.length, 'the race over-filled nodes').toBeGreaterThan(0);
    expect(refused.every(({ status }) => status.reason === 'OutOfcpu')).toBe(true);
    console.log(`two schedulers: ${bindings.size} pods bound once each, ${refused.length} refused by the kubelet's admission`);
  });
});
