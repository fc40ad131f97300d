// The files of recorded server-side applies, typed (see the README beside the recordings).
import { readFileSync } from 'node:fs';

/** Writes by several managers to one object, one after the other. */
export interface Sequence {
  case: string;
  /** `apps/v1 Deployment` */
  kind: string;
  steps: Step[];
}

export interface Step {
  step: number;
  request: { method: string; path: string; query?: string; contentType?: string; body?: unknown };
  status: number;
  warnings?: string[];
  answer: unknown;
}

export interface SetupRequest {
  method: string;
  path: string;
  body: { kind: string };
}

export function sequencesOf(file: string): Sequence[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sequence);
}

export function setupOf(file: string): SetupRequest[] {
  return JSON.parse(readFileSync(file, 'utf8')) as SetupRequest[];
}
