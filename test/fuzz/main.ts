// `npm run fuzz -- [--requests 1000000] [--seed 1] […]`: the long run of the fuzz test.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz, type FuzzProgress } from './fuzz';

const usage = `npm run fuzz -- [--requests 1000000] [--seed 1] [--from 0] [--minutes N] [--controllers] [--keep]`;
const toldEvery = 50_000;
const toldEveryMs = 10_000;

function shown(statuses: ReadonlyMap<number, number>): string {
  return [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
}

/** A line every 50,000 requests, and every ten seconds. */
function progress(): (progress: FuzzProgress) => void {
  const began = Date.now();
  let last = { at: began, requests: 0, told: 0 };
  return ({ requests, rssMb, lost }) => {
    const at = Date.now();
    const isDue = requests >= last.told + toldEvery;
    if (!isDue && at - last.at < toldEveryMs) return;
    const rate = Math.round(((requests - last.requests) * 1000) / Math.max(1, at - last.at));
    console.log(`${Math.round((at - began) / 1000)} s: ${requests} requests (${rate}/s), ${lost} without an answer, server ${rssMb} MB`);
    last = { at, requests, told: isDue ? requests : last.told };
  };
}

/** The folder of the recordings, which have a valid object of each kind. */
function recordings(): string {
  return execFileSync(process.execPath, [join(__dirname, '..', '..', 'scripts', 'recordings.mjs')], { encoding: 'utf8' }).trim();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      minutes: { type: 'string' },
      controllers: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const { controllers, seed } = values;
  process.env['KUBEREEL_GOLDEN'] ??= recordings();
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const report = await fuzz({
    seed: Number(seed),
    minutes,
    requests: Number(values.requests),
    from: Number(values.from),
    controllers,
    told: progress(),
  });
  const { requests, seconds, statuses, lost, heapMb, rss, events, writers, verified, problems, folder } = report;
  console.log(
    `seed ${seed}: ${requests} requests in ${Math.round(seconds)} s (${Math.round(requests / seconds)}/s), ${lost} without an answer`,
  );
  console.log(`statuses ${shown(statuses)}`);
  console.log(`memory after a tenth ${rss.first} MB, at the end ${rss.last} MB`);
  console.log(`heap after a collection, each tenth: ${heapMb.tenths.join(', ')} MB; with everything listed ${heapMb.last} MB`);
  console.log(`${events} events in the log, of ${writers} requests`);
  console.log(verified);
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${problems.length} problems`);
  if (values.keep) console.log(folder);
  else rmSync(folder, { recursive: true, force: true });
  if (problems.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(`${(error as Error).stack}\nagain with: ${process.argv.slice(2).join(' ')}`);
  process.exitCode = 1;
});
