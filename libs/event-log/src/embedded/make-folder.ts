import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are absent, one after the other: Node's own recursive way never ends under a path where
 * nothing can be made and nothing is there (/proc).
 * @returns the topmost folder that was made; undefined when all were there
 * @throws what the file system says, with its `code` (ENOENT, EACCES, ENOTDIR, EROFS …) and `path`
 */
export function makeFolder(path: string, mode = 0o700): string | undefined {
  const absent: string[] = [];
  let at = path;
  for (; !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) absent.unshift(at);
  if (!statSync(at).isDirectory())
    throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR', path: at });
  for (const folder of absent) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Somebody else was first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return absent[0];
}
