import { statSync } from 'node:fs';
import { join } from 'node:path';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { createIdentity, logFolderOf, readIdentity, writeIdentity } from '../../apps/cli/src/up/data-folder';
import { openEmbeddedLog } from '#libs/event-log';
import { CityLife, nodesCount } from './city-life';

const seed = 'city';
const nodes = { count: nodesCount, cpu: '8', memory: '32Gi', pods: 110 };

export interface GrownLog {
  events: number;
  /** Bytes of the log's file. */
  bytes: number;
}

/**
 * Lets a cluster live in virtual time until its log has so many events: every event is written by the controllers and the write path that
 * `up` runs, to the store that `up` uses.
 * @throws Error when there is a cluster in the folder already
 */
export async function growLog(folder: string, events: number, progress: (events: number) => void = () => undefined): Promise<GrownLog> {
  if (readIdentity(folder)) throw new Error(`there is a cluster in ${folder} already`);
  writeIdentity(folder, await createIdentity({ port: 7443, host: '127.0.0.1', seed, nodes: '0', now: Date.now() }));
  const log = await openEmbeddedLog({ folder: logFolderOf(folder) });
  let count = 0;
  log.subscribe(
    { after: 'start' },
    { events: (batch) => void (count += batch.length), caughtUp: () => undefined, failed: () => undefined },
  );
  const cluster = await SimulatedCluster.create({ seed, nodes, log });
  const life = new CityLife(cluster, seed);
  await life.settle();
  for (let turn = 0; count < events; turn++) {
    await life.turn(turn);
    progress(count);
  }
  await cluster.seal();
  await cluster.close();
  await log.close();
  return { events: count, bytes: statSync(join(logFolderOf(folder), 'log.sqlite')).size };
}
