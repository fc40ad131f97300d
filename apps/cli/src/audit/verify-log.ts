import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ForeignLogError, LogIdentity, LogMemory } from '#libs/app-shell/log-memory';
import { verify, type KeptSeal, type VerifyProgress, type VerifyReport } from '#libs/audit';
import { clusterPrefix } from '#libs/events';
import { CliError } from '../cli-error';
import { givenSeals, keptSeals } from './kept-seals';
import type { VerifyFlags } from './verify-flags';
import { VerifyMeter } from './verify-meter';
import { exitCodeOf, verifyText } from './verify-text';
import { demandWhole, openClusterLog, type ClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';
import { logFolderOf } from '../up/data-folder';

/**
 * `kubereel verify`: prints what was found and sets the exit status: 0 proven, 1 something is wrong, 3 something cannot be proven here.
 * @throws CliError when there is no such log, or a flag is wrong
 */
export async function verifyLog(flags: VerifyFlags): Promise<void> {
  if (flags.output !== 'text' && flags.output !== 'json') throw new CliError(`-o: "${flags.output}" is not known`, 'text or json', 2);
  const given = givenSeals(flags);
  const place = await openClusterLog(flags);
  demandWhole(place, 'verify');
  const seals = keptSeals(given, place);
  const report = await reportOf(place, {
    accept: acceptedOf(flags),
    seals,
    schedulerPlugins: flags.schedulerPlugins?.map((file) => resolve(file)),
  });
  const missing = await rememberedAndMissing(place);
  await place.log.close();
  process.stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify({ ...report, ...(missing === undefined ? {} : { missing }) }, null, 2)}\n`
      : verifyText(report, missing),
  );
  process.exitCode = exitCodeOf(report, missing);
}

/** Bytes of a log's file from which on two workers are faster than one: they have to load what they run. */
const partsFromBytes = 48 * 1024 * 1024;

/** A large log in a file is verified by two processors, any other by this one. */
async function reportOf(
  place: ClusterLog,
  options: { accept: readonly string[]; seals: readonly KeptSeal[]; schedulerPlugins?: readonly string[] },
): Promise<VerifyReport> {
  const { log, cluster, seed, folder } = place;
  const { accept, seals, schedulerPlugins } = options;
  const isLarge = folder !== undefined && sizeOf(folder) >= partsFromBytes;
  const until = folder === undefined ? undefined : await log.head({ streamPrefixes: [clusterPrefix(cluster)] });
  const show = process.stderr.isTTY ? (text: string): void => void process.stderr.write(text) : undefined;
  const meter = new VerifyMeter(until ?? Infinity, isLarge ? 2 : 1, () => performance.now(), show);
  try {
    if (isLarge && until !== undefined) {
      const { verifyInParts } = await import('./verify-in-parts.js');
      const task = { folder: logFolderOf(folder), cluster, seed, until, accept, seals, schedulerPlugins };
      return await verifyInParts(task, (part, progress) => meter.progress(part, progress));
    }
    const controllers = await controllerFactory({ schedulerPlugins });
    const onProgress = (progress: VerifyProgress): void => meter.progress('all', progress);
    return await verify({ log, cluster, seed, until, accept, seals, controllers, onProgress });
  } finally {
    meter.end();
  }
}

function sizeOf(folder: string): number {
  return statSync(join(logFolderOf(folder), 'log.sqlite'), { throwIfNoEntry: false })?.size ?? 0;
}

/** @throws CliError for what is no `WHAT=NAME` */
function acceptedOf({ accept = [] }: VerifyFlags): readonly string[] {
  const wrong = accept.find((name) => !/^[a-z-]+=./.test(name));
  if (wrong !== undefined)
    throw new CliError(`--accept: "${wrong}" is not WHAT=NAME`, 'verify prints the name to give with each line that can be accepted', 2);
  return accept;
}

/** What the data folder has seen of its log and the log does not have: a chain that is whole does not tell where it once ended. */
async function rememberedAndMissing({ log, cluster, folder }: ClusterLog): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    await new LogMemory(folder).check(new LogIdentity(log, cluster));
    return undefined;
  } catch (error) {
    if (error instanceof ForeignLogError) return error.message;
    throw error;
  }
}
