// The lines of golden/rbac, typed (see the README beside the recordings).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedResponse } from '../api/recording';

export interface CaseRequest {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string | string[]>;
  /** Whose: the administrator's when absent. */
  credentials?: string;
  body?: unknown;
}

export interface CaseStep {
  step: number;
  note?: string;
  request: CaseRequest;
  response: RecordedResponse;
}

/** A line of requests, policies or quota. */
export interface RecordedCase {
  id: string;
  about?: string;
  namespace?: string;
  /** Sent first, by the administrator. */
  setup?: CaseRequest[];
  steps: CaseStep[];
  /** Paths of what differed between two recordings, steps counted from 0: `steps[14].response.body.items#`. */
  varies?: string[];
  /** Of a token that a step gives: its header and claims. */
  token?: unknown;
}

/** A line of reviews or aggregated. */
export interface RecordedReviews {
  id: string;
  objects: { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } }[];
  checks: { spec: object; status: Record<string, unknown> }[];
  rules: { user: string; groups: string[]; namespace: string; status: unknown }[];
  /** The rules of the aggregated ClusterRole. */
  aggregated?: unknown[];
  varies?: string[];
}

/** The lines of a file, those that are wanted: all, or those whose id one of the names begins. */
export function readLines<Line extends { id: string }>(dir: string, file: string, names: readonly string[]): Line[] {
  const lines = readFileSync(join(dir, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line).filter(({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)));
}
