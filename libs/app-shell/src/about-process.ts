import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { EventData } from '#libs/events';
import type { AppOptions } from './options';

/** What `ProcessStarted` records of the running program. */
export function aboutProcess({ build, scheduler }: AppOptions): Pick<EventData<'ProcessStarted'>, 'build' | 'node' | 'plugins'> {
  const files = scheduler?.plugins ?? [];
  return {
    ...(build === undefined ? {} : { build }),
    node: process.version,
    ...(files.length === 0 ? {} : { plugins: Object.fromEntries(files.map((file) => [basename(file), digestOfFile(file)])) }),
  };
}

/** What cannot be read cannot be loaded either, and whoever loads it says so. */
function digestOfFile(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 22);
  } catch {
    return '';
  }
}
