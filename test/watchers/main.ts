// `npm run watchers -- [--operations 100000] [--watchers 50] [--seed 1]`: the long run of the watch test.
import { parseArgs } from 'node:util';
import { playWatchers } from './run';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '100000' },
    watchers: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const began = process.cpuUsage();
playWatchers({ operations: Number(values.operations), watchers: Number(values.watchers), seed: Number(values.seed) }).then(
  ({ operations, frames, openings, restarts }) => {
    const { user, system } = process.cpuUsage(began);
    console.log(`${operations} operations, ${values.watchers} watchers opened ${openings} times, ${restarts} restarts, ${frames} frames`);
    console.log(`nobody missed, doubled or reordered anything; ${Math.round((user + system) / 1e6)} s of processor time`);
  },
  (error: unknown) => {
    console.error(`seed ${values.seed}: ${(error as Error).message}`);
    process.exitCode = 1;
  },
);
