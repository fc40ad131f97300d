// Where the recordings are: $KUBEREEL_GOLDEN, or ../shared/golden beside the repository.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of one kind of recordings; undefined, with a loud line, where there is none. */
export function goldenFolder(kind: string): string | undefined {
  const root = process.env['KUBEREEL_GOLDEN'] ?? join(__dirname, '../../../shared/golden');
  const folder = resolve(root, kind);
  if (existsSync(folder)) return folder;
  process.stderr.write(`!!! NO RECORDINGS in ${folder} (set KUBEREEL_GOLDEN): the tests that need them are SKIPPED\n`);
  return undefined;
}
