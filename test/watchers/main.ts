// `npm run watchers -- [--operations 100000] [--watchers 50] [--seed 1] […]`: the long run of the watch test.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { kubereel } from '../e2e/running-cluster';
import { InProcessServer } from './in-process';
import { UntoldChangeError } from './journal';
import { livesOf } from './lives';
import { playWatchers, type WatchersReport } from './run';
import { RunningServer } from './running';

const usage = `npm run watchers -- [--operations 100000] [--watchers 50] [--seed 1] [--restarts 12] [--resources nodes,pods] [--in-process] [--keep]`;
const toldEveryMs = 5_000;
/** Operations that are under way together, at most. */
const together = 64;
/** Events of the log that are told of an object that changed though nobody says that they changed it. */
const toldEvents = 12;

/** Tells now and then how far it is. */
function progress(memory: () => string): (report: WatchersReport) => void {
  const began = Date.now();
  let last = { at: began, operations: 0, frames: 0 };
  return ({ operations, frames, openings, restarts, expired }) => {
    const at = Date.now();
    const ms = at - last.at;
    if (ms < toldEveryMs) return;
    const perSecond = (count: number): string => `${Math.round((count * 1000) / ms)}/s`;
    console.log(
      `${Math.round((at - began) / 1000)} s: ${operations} operations (${perSecond(operations - last.operations)}), ` +
        `${frames} frames (${perSecond(frames - last.frames)}), ${openings} watches, ${expired} expired, ${restarts} restarts, ${memory()}`,
    );
    last = { at, operations, frames };
  };
}

function rssMb(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function tell({ operations, changes, openings, expired, restarts, frames, overtaken, answers }: WatchersReport, watchers: string): void {
  console.log(`${operations} operations, ${changes} changes, answers ${JSON.stringify(answers)}`);
  console.log(
    `${watchers} watchers opened ${openings} times, ${expired} times told that a version has expired, ${restarts} restarts, ${frames} frames`,
  );
  console.log(`${overtaken} objects went in place of one that the deletion of their collection had listed`);
  console.log('nobody missed, doubled or reordered anything; each ended with what a list has');
}

/** Who wrote an object's latest versions, and what they were asked for, as the log has it. */
async function tellWriters(folder: string, object: string): Promise<void> {
  const { stdout, stderr } = await kubereel(['log', object, '--data', folder, '--limit', String(toldEvents), '-o', 'json']);
  console.error(`in the log:${stderr === '' ? '' : ` ${stderr}`}`);
  for (const line of stdout.trim().split('\n').filter(Boolean)) {
    const { type, position, metadata } = JSON.parse(line) as Record<string, unknown>;
    console.error(`  ${String(position)} ${String(type)} ${JSON.stringify(metadata)}`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      operations: { type: 'string', default: '100000' },
      watchers: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      restarts: { type: 'string', default: '12' },
      resources: { type: 'string' },
      'in-process': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const { seed, watchers } = values;
  const sizes = {
    operations: Number(values.operations),
    watchers: Number(watchers),
    seed: Number(seed),
    restarts: Number(values.restarts),
    together,
    resources: values.resources?.split(','),
  };
  if (values['in-process']) {
    const server = await InProcessServer.start();
    const told = progress(() => `${rssMb(process.pid)} MB`);
    const options = { ...sizes, isReviewed: false, expires: () => false, timeouts: [150], told };
    return tell(await playWatchers(server, options).finally(() => server.close()), watchers);
  }
  const lives = livesOf(sizes.seed);
  const server = await RunningServer.start(lives.flags());
  let isKept = values.keep;
  try {
    const told = progress(() => `server ${rssMb(server.pid)} MB`);
    const report = await playWatchers(server, { ...sizes, isReviewed: true, expires: lives.expires, timeouts: [1, 3, 5, 20], told });
    await server.close();
    tell(report, watchers);
    const verified = await kubereel(['verify', '--data', server.folder], {}, verifyMsMax);
    console.log(verified.stdout.trim().split('\n').slice(-4).join('\n'));
    if (verified.code !== 0) throw new Error(`verify ended with ${verified.code}: ${verified.stdout}${verified.stderr}`);
  } catch (error) {
    isKept = true;
    await server.close();
    console.error((error as Error).message);
    if (error instanceof UntoldChangeError) await tellWriters(server.folder, error.object);
    throw new Error('the log is kept', { cause: error });
  } finally {
    await server.close();
    if (isKept) console.log(server.folder);
    else server.remove();
  }
}

const verifyMsMax = 1_800_000;

main().catch((error: unknown) => {
  console.error(`${(error as Error).message}\nagain with: ${process.argv.slice(2).join(' ') || '--seed 1'}`);
  process.exitCode = 1;
});
