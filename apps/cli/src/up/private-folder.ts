import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivate } from '#libs/event-log';
import { folderContents } from './data-folder';

const ours: ReadonlySet<string> = new Set(folderContents.map(([name]) => name));

/**
 * Takes a data folder of an earlier version, or made by hand, from everybody but its owner. A folder that holds other things too stays
 * open (it may be a project), and what is ours in it is closed.
 */
export function closeToOthers(folder: string): void {
  const names = readdirSync(folder);
  const known = names.filter((name) => ours.has(name) || name.endsWith('.new'));
  if (known.length === names.length) makePrivate(folder);
  for (const name of known) {
    const path = join(folder, name);
    makePrivate(path);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const inner of readdirSync(path)) makePrivate(join(path, inner));
  }
}
