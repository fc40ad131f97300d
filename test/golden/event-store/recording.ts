// What a real EventStoreDB node answered, call by call: JSON Lines, a sequence a line, as golden/event-store/README.md describes them.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** A message of the protocol under its own field names; what has its default value and is in no `oneof` is left out. */
export type Message = Record<string, unknown>;

export interface RecordedStatus {
  code: number;
  name: string;
  details?: string;
  trailers?: Record<string, string>;
}

/** One thing that is done or looked at; see the recordings' README for what the fields mean. */
export interface Step {
  /** Service and method: `Streams.Append`. */
  call?: string;
  as?: string;
  request?: Message;
  requests?: Message[];
  /** Messages that are not the protocol's, as base64. */
  raw?: string[];
  /** False: the client's side stays open. */
  end?: boolean | string;
  headers?: Record<string, string>;
  /** `name:password` */
  user?: string;
  deadlineMs?: number;
  compression?: string;
  responses?: Message[];
  status?: RecordedStatus;
  /** The node never answered. */
  open?: boolean;
  /** Cancelled by the recorder when its answers were there. */
  cancelled?: boolean;
  /** Events of system streams and checkpoints are left out. */
  tolerant?: boolean;
  send?: string;
  collect?: string;
  until?: { messages?: number; events?: number; caughtUp?: boolean; status?: boolean };
  cancel?: string;
  /** ms */
  wait?: number;
}

export interface Sequence {
  id: string;
  area: string;
  title: string;
  /** Of all its streams. */
  prefix: string;
  steps: Step[];
  alone?: boolean;
  fresh?: boolean;
  tls?: boolean;
  /** Symbols of positions, ascending, where their names are not. */
  order?: string[];
}

const SUFFIX = /\.jsonl(\.gz)?$/;

/**
 * The sequences of a folder, in the order of its files.
 * @param names areas or ids of sequences; none: all
 * @throws when the folder has none of that name
 */
export async function readSequences(dir: string, names: readonly string[]): Promise<Sequence[]> {
  const files = (await readdir(dir)).filter((file) => SUFFIX.test(file)).sort();
  const sequences: Sequence[] = [];
  for (const file of files) {
    const bytes = createReadStream(join(dir, file));
    const lines = createInterface({ input: file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes, crlfDelay: Infinity });
    for await (const line of lines) {
      if (line.trim() === '') continue;
      const sequence = JSON.parse(line) as Sequence;
      if (names.length === 0 || names.includes(sequence.area) || names.includes(sequence.id)) sequences.push(sequence);
    }
  }
  for (const name of names) {
    if (sequences.some(({ area, id }) => area === name || id === name)) continue;
    throw new Error(`${dir} has no area and no sequence called ${name}; there are files ${files.join(', ') || '(none)'}`);
  }
  if (sequences.length === 0) throw new Error(`${dir} has no recordings (*.jsonl)`);
  return sequences;
}
