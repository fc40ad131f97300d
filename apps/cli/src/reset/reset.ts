import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { LogLockedError, openEmbeddedLog } from '#libs/event-log';
import { CliError } from '../cli-error';
import type { ResetFlags } from './reset-flags';
import { defaultDataFolder, folderContents as contents, logFolderOf, readIdentity, reasonOf } from '../up/data-folder';

/** Asks yes or no; undefined where nobody can be asked. */
export type Ask = ((question: string) => Promise<boolean>) | undefined;

/** `kubereel reset`: the cluster of a data folder is deleted, so that the next `up` begins afresh. */
export async function reset(
  flags: ResetFlags,
  say = (line: string): void => void process.stdout.write(`${line}\n`),
  ask: Ask = askOnTerminal(),
): Promise<void> {
  const folder = resolve(flags.data ?? defaultDataFolder);
  const place = display(folder);
  const found = contents.filter(([name]) => existsSync(join(folder, name)));
  if (!found.some(([name]) => name === 'log' || name === 'kubereel.json')) {
    throw new CliError(`there is no cluster in ${place}`, 'Name its folder with --data. Nothing was deleted.');
  }
  await refuseWhenRunning(folder, place);
  const store = storeOf(folder);
  const size = found.reduce((sum, [name]) => sum + bytesOf(join(folder, name)), 0);
  say(`The cluster in ${place}, ${sizeText(size)}:`);
  for (const [name, what] of found) say(`  ${name.padEnd(15)}${what}`);
  if (!flags.yes) {
    if (!ask) throw new CliError('nobody is there to be asked', 'Say it beforehand: kubereel reset --yes. Nothing was deleted.', 2);
    if (!(await ask('Delete it for good? [y/N] '))) {
      say('Nothing was deleted.');
      return;
    }
  }
  // The log goes first: what is left of a deletion that was cut short is no cluster.
  try {
    for (const [name] of found) rmSync(join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw new CliError(`the cluster in ${place} cannot be deleted: ${reasonOf(error)}`);
  }
  const left = readdirSync(folder);
  if (left.length === 0) rmdirSync(folder);
  if (store !== undefined) say(`The log itself stays in ${store}.`);
  say(`Deleted.${left.length > 0 ? ` Left alone in ${place}: ${left.join(', ')}` : ''} The next kubereel up begins a new cluster.`);
}

/** The event store that holds the cluster's log, when it is not in the folder. */
function storeOf(folder: string): string | undefined {
  try {
    return readIdentity(folder)?.eventStore;
  } catch {
    // An unreadable identity is a good reason for a reset.
    return undefined;
  }
}

/** @throws CliError naming the process that uses the folder. */
async function refuseWhenRunning(folder: string, place: string): Promise<void> {
  const logFolder = logFolderOf(folder);
  if (!existsSync(logFolder)) return;
  try {
    await (await openEmbeddedLog({ folder: logFolder })).close();
  } catch (error) {
    // A log that cannot be read is a good reason for a reset.
    if (!(error instanceof LogLockedError)) return;
    throw new CliError(
      `the cluster in ${place} is running: process ${error.holderPid}`,
      'Stop it first (Ctrl-C where it runs). Nothing was deleted.',
    );
  }
}

function bytesOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function display(path: string): string {
  const near = relative(process.cwd(), path);
  return near && !near.startsWith('..') ? `./${near}` : path;
}

function askOnTerminal(): Ask {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return /^y(es)?$/i.test((await terminal.question(question)).trim());
    } finally {
      terminal.close();
    }
  };
}
