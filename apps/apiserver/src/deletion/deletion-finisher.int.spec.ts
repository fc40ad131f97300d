import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { fact } from '#libs/events';
import { Simulation } from '#libs/testing';
import { deletionFinisher } from './deletion-finisher';

describe('a deletion whose writer died between its two appends', () => {
  it('is finished; one that a finalizer holds is left alone', async () => {
    const simulation = await Simulation.start([reconcilerController(deletionFinisher) as unknown as Controller]);
    for (const [name, finalizers] of [
      ['torn', undefined],
      ['held', ['example.com/x']],
    ] as const) {
      const metadata = { name, namespace: 'default', uid: name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
      await simulation.put('pods', {
        metadata: { ...metadata, ...(finalizers ? { finalizers: [...finalizers] } : {}) },
        spec: { nodeName: 'n' },
        status: {},
      });
      const marked = fact('DeletionRequested', { deletionTimestamp: '2026-01-01T00:00:00Z', gracePeriodSeconds: 0, generation: 2 });
      await simulation.append(`local.pods-default/${name}`, [marked]);
    }
    await simulation.run(1_000);
    expect(simulation.get('pods', 'default', 'torn')).toBeDefined();
    await simulation.run(5_000);
    expect(simulation.get('pods', 'default', 'torn')).toBeUndefined();
    expect(simulation.get('pods', 'default', 'held')).toBeDefined();
    await simulation.close();
  });
});
