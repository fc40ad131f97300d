import { resolve } from 'node:path';
import { ForeignLogError, LogIdentity, LogMemory } from '#libs/app-shell';
import { verify, type VerifyReport } from '#libs/audit';
import { CliError } from '../cli-error';
import { painter } from '../terminal/colour';
import type { VerifyFlags } from './verify-flags';
import { demandWhole, openClusterLog, type ClusterLog } from '../log/open-cluster-log';
import { controllerFactory } from '../up/controllers';

/** Findings printed in full; the rest is counted. */
const printedMax = 50;

export async function verifyLog(flags: VerifyFlags): Promise<void> {
  if (flags.output !== 'text' && flags.output !== 'json') throw new CliError(`-o: "${flags.output}" is not known`, 'text or json', 2);
  const place = await openClusterLog(flags);
  const { log, cluster, seed } = place;
  demandWhole(place, 'verify');
  const showProgress = process.stderr.isTTY;
  const report = await verify({
    log,
    cluster,
    seed,
    controllers: await controllerFactory({ schedulerPlugins: flags.schedulerPlugins?.map((file) => resolve(file)) }),
    onProgress: (events) => showProgress && process.stderr.write(`\r${events} events read`),
  });
  if (showProgress) process.stderr.write('\r\x1b[K');
  const missing = await rememberedAndMissing(place);
  await log.close();
  process.stdout.write(
    flags.output === 'json'
      ? `${JSON.stringify({ ...report, ...(missing === undefined ? {} : { missing }) }, null, 2)}\n`
      : textOf(report, missing),
  );
  process.exitCode = report.differ > 0 || report.chain.length > 0 || missing !== undefined ? 1 : 0;
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

function textOf(report: VerifyReport, missing: string | undefined): string {
  const paint = painter();
  const lines: string[] = missing === undefined ? [] : [`removed: ${missing}`];
  for (const { kind, type, stream, revision, position, eventId, text } of report.chain.slice(0, printedMax)) {
    lines.push(`${kind}: ${type} ${stream} revision ${revision} (position ${position}, id ${eventId}): ${text}`);
  }
  for (const { decision, subject, position, text } of report.differences.slice(0, printedMax)) {
    lines.push(`differs: ${decision} on ${subject} at ${position}: ${text}`);
  }
  for (const { decision, subject, position, text } of report.underivable.slice(0, printedMax)) {
    lines.push(`not derivable: ${decision} on ${subject} at ${position}: ${text}`);
  }
  const hidden =
    report.chain.length +
    report.differences.length -
    Math.min(report.chain.length, printedMax) -
    Math.min(report.differences.length, printedMax);
  if (hidden > 0) lines.push(`… and ${hidden} more`);
  const verdict = report.differ > 0 || report.chain.length > 0 || missing !== undefined ? 'red' : 'green';
  lines.push(`${report.events} events, digest chain ${report.chain.length === 0 ? 'whole' : `broken in ${report.chain.length} places`}`);
  const counts = `${report.agreed} decisions agreed, ${report.differ} differ, ${report.otherVersion} by another version, ${report.notDerivable} not derivable`;
  lines.push(paint(verdict, counts));
  return `${lines.join('\n')}\n`;
}
