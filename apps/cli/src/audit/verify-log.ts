import { resolve } from 'node:path';
import { ForeignLogError, LogIdentity, LogMemory } from '#libs/app-shell';
import { verify } from '#libs/audit';
import { CliError } from '../cli-error';
import { givenSeals, keptSeals } from './kept-seals';
import type { VerifyFlags } from './verify-flags';
import { exitCodeOf, verifyText } from './verify-text';
import { demandWhole, openClusterLog, type ClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';

export async function verifyLog(flags: VerifyFlags): Promise<void> {
  if (flags.output !== 'text' && flags.output !== 'json') throw new CliError(`-o: "${flags.output}" is not known`, 'text or json', 2);
  const given = givenSeals(flags);
  const place = await openClusterLog(flags);
  const { log, cluster, seed } = place;
  demandWhole(place, 'verify');
  const seals = keptSeals(given, place);
  const showProgress = process.stderr.isTTY;
  const report = await verify({
    log,
    cluster,
    seed,
    accept: acceptedOf(flags),
    seals,
    controllers: await controllerFactory({ schedulerPlugins: flags.schedulerPlugins?.map((file) => resolve(file)) }),
    onProgress: (events) => showProgress && process.stderr.write(`\r${events} events read`),
  });
  if (showProgress) process.stderr.write('\r\x1b[K');
  const missing = await rememberedAndMissing(place);
  await log.close();
  process.stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify({ ...report, ...(missing === undefined ? {} : { missing }) }, null, 2)}\n`
      : verifyText(report, missing),
  );
  process.exitCode = exitCodeOf(report, missing);
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
