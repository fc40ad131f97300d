// The files of recorded API sessions, typed (see the README beside the recordings).
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Header {
  session: string;
  title: string;
  area: string;
  server: string;
  /** What ran beside the API server: `apiserver`, `apiserver+scheduler+controller-manager`, … */
  runs: string;
  setup?: SetupEntry[];
  /** The session whose cluster this one goes on in. */
  continues?: string;
}

export interface SetupEntry {
  beforeStep?: number;
  method?: string;
  path?: string;
  query?: string;
  contentType?: string;
  body?: unknown;
  /** An expression over `j` and `status`: the request is repeated until it holds. */
  until?: string;
  gives?: { resourceVersion?: string; uid?: string };
  pauseSeconds?: number;
  restart?: { compactedUpTo: string };
  command?: string;
  files?: Record<string, string>;
  stdin?: string;
}

export interface RecordedRequest {
  method: string;
  path: string;
  query?: string;
  headers?: Record<string, string | string[]>;
  credentials?: 'none';
  body?: unknown;
}

export interface RecordedFrame {
  afterStep: number;
  frame: unknown;
}

export interface RecordedResponse {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  text?: string;
  binary?: { length: number; startsWith: string };
  bodyFile?: string;
  frames?: RecordedFrame[];
  end?: string;
  endAfterStep?: number;
}

export interface HttpStep {
  step: number;
  note?: string;
  request: RecordedRequest;
  response: RecordedResponse;
}

export interface CommandStep {
  step: number;
  note?: string;
  command: string;
  files?: Record<string, string>;
  stdin?: string;
  exit: number;
  stdout: string;
  stderr: string;
}

export interface WireRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  responseType?: string;
}

export interface RequestsStep {
  step: number;
  command: string;
  requests: WireRequest[];
}

/** A line of protobuf-samples. */
export interface Sample {
  what: string;
  path: string;
  method?: string;
  json?: unknown;
  protobuf?: string;
  contentType?: string;
  body?: string;
  status?: number;
  accept?: string;
  responseContentType?: string;
  stream?: string;
}

export type Step = HttpStep | CommandStep | RequestsStep;

export interface Recording {
  header: Header;
  steps: Step[];
  samples: Sample[];
  /** The folder it came from, where `bodyFile` is looked up. */
  dir: string;
}

export const isHttp = (step: Step): step is HttpStep => 'request' in step;
export const isCommand = (step: Step): step is CommandStep => 'stdout' in step;
/** A request from the server to a webhook. */
export const isCall = (step: Step): step is HttpStep => isHttp(step) && step.note?.startsWith('CALL:') === true;
export const isWatch = (step: HttpStep): boolean => step.response.frames !== undefined;

/** Every session of a folder, in the order of their names. */
export function sessionsIn(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => basename(file, '.jsonl'))
    .toSorted();
}

/** Throws with the file's name when a session does not exist or is not such a recording. */
export function readRecording(dir: string, session: string): Recording {
  const file = join(dir, `${session}.jsonl`);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const [header, ...rest] = lines.map((line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch (error) {
      throw new Error(`${file}:${index + 1}: ${(error as Error).message}`, { cause: error });
    }
  });
  if (typeof (header as Header | undefined)?.session !== 'string') throw new Error(`${file}: the first line is no session header`);
  const steps = rest.filter((line) => typeof (line as Step).step === 'number') as Step[];
  const samples = rest.filter((line) => typeof (line as Sample).what === 'string') as Sample[];
  return { header: header as Header, steps, samples, dir };
}
