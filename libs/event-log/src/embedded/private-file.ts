import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** The owner's alone. A log and its snapshots hold Secrets. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Takes from a file or folder what others may do with it. Not ours, not there, on a medium that cannot be written: left as it is. */
export function makePrivate(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!['ENOENT', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** There before SQLite makes it, which would leave it to the umask; what SQLite puts beside a file has that file's rights. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  makePrivate(path);
}
