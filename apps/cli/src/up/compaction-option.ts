import type { CompactionOptions } from '#libs/app-shell';
import { parseDuration } from '#libs/kernel';
import { CliError } from '../cli-error';

/** `--compact-after 5m`, `1000` events, or `@812`: every version before that one. Undefined: versions never expire. @throws CliError for anything else */
export function parseCompaction(text: string | undefined): CompactionOptions | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/^@/, ''));
  if (/^@?\d+$/.test(text) && Number.isSafeInteger(number)) return text.startsWith('@') ? { version: number } : { events: number };
  const ageMs = parseDuration(text);
  if (ageMs !== undefined) return { ageMs: Math.round(ageMs) };
  throw new CliError(
    `--compact-after: "${text}" is not understood`,
    'A duration (5m), a number of events (1000), or @VERSION: what is older is answered 410.',
    2,
  );
}
