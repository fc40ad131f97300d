import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { goldenFolder } from '../../../../test/golden/golden-folder';

/** Recorded API sessions (Kubernetes v1.34.4), for specs only. */
const folder = goldenFolder('api');

export const goldenPresent = folder !== undefined;

/** Where a file or a folder of the recorded sessions is, where they are present. */
export const goldenPath = (name: string): string => resolve(folder ?? '', name);

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
  return readFileSync(goldenPath(`${session}.jsonl`), 'utf8')
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
