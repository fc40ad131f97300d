import { open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';

/** Bytes that are read of a file: the last ones. */
const bytesMax = 10 * 1024 * 1024;

/**
 * Files of the machine below a folder, which objects may name by their paths.
 * @returns gives a file's text; undefined where it is not there, or elsewhere
 */
export function filesBelow(folder: string): (path: string) => Promise<string | undefined> {
  return async (path) => {
    try {
      const root = await realpath(folder);
      const file = await realpath(resolve(root, path));
      if (!file.startsWith(`${root}${sep}`)) return undefined;
      return await lastOf(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== undefined) return undefined;
      throw error;
    }
  };
}

async function lastOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const length = Math.min(stats.size, bytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
