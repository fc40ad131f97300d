import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { PRIVATE_FILE } from './private-file';

export interface WriteWholeOptions {
  mode?: number;
  /** No other process writes this file: what a write of an earlier one left behind, when it was killed, is replaced. */
  soleWriter?: boolean;
}

/**
 * Writes a file beside its place and renames it: a reader sees the old one or the new one, never a half.
 * @throws what the file system says, with its `code`; the file is then as it was
 */
export function writeWhole(path: string, text: string, { mode = PRIVATE_FILE, soleWriter = false }: WriteWholeOptions = {}): void {
  const beside = soleWriter ? `${path}.new` : `${path}.${process.pid}.new`;
  try {
    // A file that is there already would keep its rights.
    rmSync(beside, { force: true });
    writeFileSync(beside, text, { mode });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/**
 * The same for a long text: others have their turns between its pieces, each of which is made when the one before has been written.
 * @throws what the file system says, with its `code`; the file is then as it was
 */
export async function writeInPieces(
  path: string,
  pieces: Iterable<string>,
  { mode = PRIVATE_FILE, soleWriter = false }: WriteWholeOptions = {},
): Promise<void> {
  const beside = soleWriter ? `${path}.new` : `${path}.${process.pid}.new`;
  try {
    rmSync(beside, { force: true });
    const file = await open(beside, 'w', mode);
    try {
      for (const piece of pieces) await file.write(piece);
    } finally {
      await file.close();
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
