import { describe, expect, it } from 'vitest';
import {
  ClusterRuntime,
  ControllerShell,
  reconcilerController,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
} from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { fact } from '#libs/events';
import { deletionFinisher } from './deletion-finisher';

describe('a deletion whose writer died between its two appends', () => {
  it('is finished; one that a finalizer holds is left alone', async () => {
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
    const runtime = await ClusterRuntime.start({ log: createMemoryLog(), cluster: 'local', clock, writer: 'test', seed: 's' });
    const executive = new SimulationExecutive(runtime, clock);
    await new ControllerShell(runtime, new Writer(runtime), reconcilerController(deletionFinisher) as unknown as Controller).start();
    for (const [name, finalizers] of [
      ['torn', undefined],
      ['held', ['example.com/x']],
    ] as const) {
      const metadata = {
        name,
        namespace: 'default',
        uid: name,
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...(finalizers ? { finalizers } : {}),
      };
      const origin = { actor: 'kubelet', operation: name, correlationId: name };
      const stream = `local.pods-default/${name}`;
      await runtime.append(
        stream,
        [[fact('Created', { object: { metadata, spec: { nodeName: 'n' }, status: {} } as never })]],
        'no_stream',
        { origin, label: '0', follows: undefined },
      );
      const marked = fact('DeletionRequested', { deletionTimestamp: '2026-01-01T00:00:00Z', gracePeriodSeconds: 0, generation: 2 });
      await runtime.append(stream, [[marked]], 0, { origin, label: '1', follows: runtime.state.head(stream)?.digest });
    }
    await executive.runFor(1_000);
    expect(runtime.state.get('pods', 'default', 'torn')).toBeDefined();
    await executive.runFor(5_000);
    expect(runtime.state.get('pods', 'default', 'torn')).toBeUndefined();
    expect(runtime.state.get('pods', 'default', 'held')).toBeDefined();
    await runtime.close();
  });
});
