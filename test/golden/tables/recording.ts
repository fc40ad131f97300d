// The files of recorded tables and lists, typed (see the README beside the recordings).
import { readFileSync } from 'node:fs';

export interface SetupRequest {
  method: string;
  path: string;
  contentType?: string;
  body?: unknown;
}

export interface Step {
  step: number;
  request: { method: string; path: string; query?: Record<string, string>; headers?: Record<string, string> };
  /** `body` may be `{names}` for a list of which only the names were kept; `frames`: of a watch. */
  response: { status: number; body?: unknown; frames?: Frame[] };
}

/** Type of a watch's event, and the name of its object or the message of its Status. */
export type Frame = [type: string, about: string];

interface Line {
  id: string;
  path: string;
  setup: SetupRequest[];
  /** JSON paths (`steps[2].response…`, counted from 0) that differed between two plays of the recording. */
  varies?: string[];
}

/** What was read of one resource. */
export interface ResourceTables extends Line {
  steps: Step[];
  columns?: unknown[];
  fieldSelectors?: { fieldSelector: string; status: number; message?: string; reason?: string }[];
}

/** One list request of `versions-*`, or one get where `get` names the object. */
export interface VersionCheck {
  get?: string;
  resourceVersion: string;
  limit?: number;
  continue?: string;
  watch?: boolean;
  status: number;
  message?: string;
  reason?: string;
  names?: string[];
  frames?: Frame[];
  version?: string;
  more?: boolean;
  remainingItemCount?: number;
}

/** Reads of the twelve config maps: one of the four. */
export interface ListReads extends Line {
  selectors?: { labelSelector: string; status: number; names?: string[]; message?: string }[];
  limit?: number;
  labelSelector?: string;
  pages?: { names: string[]; continue: boolean; remainingItemCount?: number }[];
  checks?: VersionCheck[];
  steps?: Step[];
}

const linesOf = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

export const tablesOf = (file: string): ResourceTables[] => linesOf<ResourceTables>(file);
export const listsOf = (file: string): ListReads[] => linesOf<ListReads>(file);
