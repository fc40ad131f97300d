import type { KubeObject } from '#libs/kernel';
import { prepareWrite, type StateView } from '#libs/kube-api';
import type { Figure } from './figure';

const runs = 5;
const objectsPerRun = 4_000;
const namespace = { metadata: { name: 'default' }, status: { phase: 'Active' } } as unknown as KubeObject;
const state: StateView = {
  cluster: 'local',
  position: 5,
  get: (resource) => (resource === 'namespaces' ? namespace : undefined),
  byKey: () => undefined,
  list: () => [],
  head: () => ({ revision: 0, digest: '' }),
};
const context = { now: Date.parse('2026-01-01T00:00:00Z') };

/**
 * What finding out and writing out the owners of a new object takes: all of `metadata.managedFields` in the answer to a creation, by itself.
 * @param createMs what the whole creation takes the server, ms of processor time
 */
export function benchOwners(name: string, resource: string, objectOf: (i: number) => object, createMs: number): Figure {
  let best = Infinity;
  for (let run = 0; run < runs; run++) best = Math.min(best, ownersMs(resource, objectOf, run * objectsPerRun));
  return {
    name: `owners of ${name}`,
    value: best * 1000,
    unit: 'µs cpu each',
    load: `of ${objectsPerRun}, best of ${runs}: ${((100 * best) / (createMs - best)).toFixed(1)} % of a creation without them`,
  };
}

function ownersMs(resource: string, objectOf: (i: number) => object, from: number): number {
  const made = Array.from({ length: objectsPerRun }, (_, i) => {
    const object = objectOf(from + i) as KubeObject;
    const options = { fieldManager: 'bench', dryRun: true };
    const prepared = prepareWrite(
      state,
      { verb: 'create', resource, namespace: 'default', object, options },
      { ...context, id: `${from + i}` },
    );
    if (prepared.kind !== 'dry-run') throw new Error(`not prepared: ${JSON.stringify(prepared)}`);
    return prepared.object.metadata.managedFields as unknown as { json: string };
  });
  const before = process.cpuUsage();
  let length = 0;
  for (const owners of made) length += owners.json.length;
  const { user, system } = process.cpuUsage(before);
  if (length === 0) throw new Error('nobody owns anything');
  return (user + system) / 1000 / objectsPerRun;
}
