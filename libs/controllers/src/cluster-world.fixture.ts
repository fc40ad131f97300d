import type { Controller } from '#libs/control-loop';
import { Simulation } from '#libs/testing';
import { priorityAdmissionControllers } from './priority-admission';

/** Controllers beside priority admission, so that pods can be created. */
export function clusterWorld(controllers: readonly Controller[], start = Date.parse('2026-01-01T12:00:00Z')): Promise<Simulation> {
  return Simulation.start([...priorityAdmissionControllers(), ...controllers], { start });
}

/** A namespace with the account that pods need. */
export async function makeNamespace(world: Simulation, name: string): Promise<void> {
  await world.create('namespaces', undefined, { metadata: { name } });
  if (!world.get('serviceaccounts', name, 'default')) await world.create('serviceaccounts', name, { metadata: { name: 'default' } });
}
