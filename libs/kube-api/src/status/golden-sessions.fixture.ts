import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Recorded API sessions (Kubernetes v1.34.4), for specs only. */
const folder = resolve(process.env.KUBEREEL_GOLDEN ?? resolve(__dirname, '../../../../../shared/golden'), 'api');

export const goldenPresent = existsSync(folder);
if (!goldenPresent) console.warn(`\n*** RECORDED SESSIONS ABSENT at ${folder}: the comparisons with a real API server are SKIPPED ***\n`);

export interface GoldenRequest {
  method: string;
  path: string;
  query?: string | Record<string, string>;
  headers?: Record<string, string>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body?: any;
}

export interface GoldenStep {
  session: string;
  step: number;
  note?: string;
  request: GoldenRequest;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  response: { status: number; headers?: Record<string, string>; body?: any; frames?: { frame: any }[] };
}

/** The steps of a session; none where the recordings are absent. */
export function goldenSteps(session: string): GoldenStep[] {
  if (!goldenPresent) return [];
  return readFileSync(resolve(folder, `${session}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as GoldenStep)
    .filter((line) => line.step !== undefined)
    .map((line) => ({ ...line, session }));
}

/** The query of a step as a map. */
export function goldenQuery(step: GoldenStep): Record<string, string> {
  const query = step.request.query ?? {};
  if (typeof query !== 'string') return query;
  const map: Record<string, string> = {};
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    map[part.slice(0, equals)] = part.slice(equals + 1);
  }
  return map;
}
