// Where the recordings are: for tests, scripts/recordings-setup.mjs has said it in $KUBEREEL_GOLDEN before any of them runs.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The folder of one kind of recordings; undefined, with a loud line, where there is none. */
export function goldenFolder(kind: string): string | undefined {
  const folder = resolve(process.env['KUBEREEL_GOLDEN'] as string, kind);
  if (existsSync(folder)) return folder;
  process.stderr.write(`!!! NO RECORDINGS in ${folder} (set KUBEREEL_GOLDEN): the tests that need them are SKIPPED\n`);
  return undefined;
}
