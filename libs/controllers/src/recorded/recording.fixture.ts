import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '#libs/kernel';
import { goldenFolder } from '../../../../test/golden/golden-folder';

export interface RecordedRequest {
  method: string;
  path: string;
  query?: string;
  contentType?: string;
  body?: JsonObject;
  status?: number;
  after?: number;
}
export interface Frame {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: string;
  by?: string;
  how?: string;
  after?: number;
  set?: JsonObject;
  change?: JsonObject;
  event?: JsonObject;
}
export interface Step {
  step: number;
  note?: string;
  wait?: number;
  requests: RecordedRequest[];
  frames: Frame[];
  state: Record<string, Json>;
}
export interface Session {
  name: string;
  title: string;
  flags?: Record<string, string>;
  setup: RecordedRequest[];
  steps: Step[];
}

const folder = goldenFolder('controllers');

/** Sessions of a recording; undefined, loudly, where the recordings are not at hand. */
export function recordedSessions(file: string): Session[] | undefined {
  const path = folder && join(folder, file);
  if (!path || !existsSync(path)) {
    console.warn(`\n*** SKIPPED: no recordings of ${file}; set KUBEREEL_GOLDEN to the folder that holds them ***\n`);
    return undefined;
  }
  const sessions: Session[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const parsed = JSON.parse(line) as JsonObject;
    if (!parsed.session) sessions.at(-1)?.steps.push(parsed as unknown as Step);
    else
      sessions.push({
        name: parsed.session as string,
        title: parsed.title as string,
        flags: parsed.flags as never,
        setup: (parsed.setup ?? []) as never,
        steps: [],
      });
  }
  return sessions;
}
