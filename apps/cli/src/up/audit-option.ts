import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AuditOptions } from '#libs/app-shell';
import { CliError } from '../cli-error';

/** The flags of the audit log, as upstream's server has them. */
export interface AuditFlags {
  auditPolicyFile?: string;
  auditLogPath?: string;
  auditLogFormat?: string;
  auditLogMaxsize?: string;
  auditLogMaxbackup?: string;
  auditLogMaxage?: string;
}

const formats = ['legacy', 'json'];
/** What a file holds where nothing is said, MB, as lumberjack has it. */
const sizeMbDefault = 100;
const mb = 1024 * 1024;

/**
 * Which requests are recorded, and where; undefined: none.
 * @throws CliError for a policy that cannot be read or is none, for a log that cannot be written, and for one without the other
 */
export async function auditSettings(flags: AuditFlags): Promise<{ options: AuditOptions; warnings: string[] } | undefined> {
  const { auditPolicyFile: file, auditLogPath: path, auditLogFormat, auditLogMaxsize, auditLogMaxbackup, auditLogMaxage } = flags;
  const given = [file, path, auditLogFormat, auditLogMaxsize, auditLogMaxbackup, auditLogMaxage];
  if (given.every((value) => value === undefined)) return undefined;
  const format = auditLogFormat ?? 'json';
  if (file === undefined) throw new CliError('--audit-policy-file is missing', 'Without a policy no request is recorded.', 2);
  const { policy, strange } = await policyIn(resolve(file));
  if (path === undefined) throw new CliError('--audit-log-path is missing', 'A file, or - for standard output.', 2);
  if (!formats.includes(format))
    throw new CliError(`invalid audit log format ${format}, allowed formats are "${formats.join(',')}"`, undefined, 2);
  const options = {
    policy,
    path: path === '-' ? path : ensuredLog(resolve(path)),
    format,
    bytesMax: (wholeNumber('--audit-log-maxsize', auditLogMaxsize) || sizeMbDefault) * mb,
    backupsMax: wholeNumber('--audit-log-maxbackup', auditLogMaxbackup),
    ageDaysMax: wholeNumber('--audit-log-maxage', auditLogMaxage),
  };
  return { options, warnings: strange.map((text) => `--audit-policy-file: ${file}: ${text}, which is not looked at`) };
}

async function policyIn(path: string): Promise<{ policy: object; strange: readonly string[] }> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`--audit-policy-file: ${(error as Error).message}`, undefined, 2);
  }
  const { readAuditPolicy } = await import('#libs/kube-api/audit');
  const read = readAuditPolicy(text);
  if ('problem' in read) throw new CliError(`--audit-policy-file: ${path}: ${read.problem}`, undefined, 2);
  return read;
}

/** Is there from now on, for nobody else to read. */
function ensuredLog(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new CliError(`--audit-log-path: ${(error as Error).message}`, undefined, 2);
  }
  return path;
}

function wholeNumber(flag: string, text = '0'): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new CliError(
    /^-\d+$/.test(text) ? `${flag} ${text} can't be a negative number` : `${flag}: "${text}" is no whole number`,
    undefined,
    2,
  );
}
