import { expect, it } from 'vitest';
import { wasReleased } from '#libs/audit';
import { allControllers } from '../../apps/cli/src/up/controllers';

it('every behaviour that a controller has is among those that verify knows', async () => {
  const controllers = await allControllers({ cluster: 'local', seed: 's' });
  expect(controllers.length).toBeGreaterThan(12);
  const unknown = controllers
    .filter(({ name, behaviour }) => !wasReleased(name, behaviour))
    .map(({ name, behaviour }) => `${name}@${behaviour}`);
  // Add it to libs/audit/src/versions.ts, and leave those that are there.
  expect(unknown).toEqual([]);
});
