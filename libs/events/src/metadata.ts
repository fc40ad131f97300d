/** What a controller's decision rests on: enough to make it again from the log alone. */
export interface Basis {
  /** `controller/incarnation/ordinal`: names the decision, and seeds every chance it takes. */
  decision: string;
  /** What it was about, in the controller's own words (an object key, a review id). */
  subject: string;
  /** The last log position folded when it was made. */
  position: number;
  /** Cluster time it was made at, ms since the epoch. */
  now: number;
}

/** What an append says of itself as a whole: on its first event alone. */
export interface AppendNotes {
  /** The last position that its writer had folded when it was prepared. */
  at?: number;
  /** Its number among its writer's appends, dense from 1. */
  w?: number;
  /** So many numbers back lies the writer's oldest append that had not been answered yet; absent: all before this one had been. */
  open?: number;
  /** Numbers of appends of which the writer does not know whether they were written. */
  lost?: number[];
  /** Of what no decision wrote: the operation. Ids, uids and generated names follow from it. */
  op?: string;
  /** What was asked for: the verb, the subresource, and the digest of the decoded body. */
  verb?: string;
  sub?: string;
  body?: string;
  /** Group and version of the object that was asked for (`autoscaling/v1`); absent: those that it is stored in. */
  version?: string;
  /** The client, as it names itself. */
  agent?: string;
  /** Who has sent it, where the actor is a user whom he acts for. */
  impersonator?: string;
  /** Groups of the user, those that do not follow from his name. */
  groups?: string[];
  /** The field manager that the request names; absent: its client's name before the first slash. */
  manager?: string;
  /** Rounds of the writer's controllers that the log, as far as the writer had folded it, did not have yet (`encodeTape`). */
  tape?: string;
}

/** Metadata of every event, as its readers get it. `$correlationId` and `$causationId` are EventStoreDB's own names. */
export interface EventMetadata extends AppendNotes {
  $correlationId: string;
  $causationId?: string;
  /** A user (`user:admin`) or the controller that wrote it. */
  actor: string;
  /** Schema version of the payload. */
  v: number;
  /** Cluster time, ms since the epoch. */
  time: number;
  /** Place in its append, from 1, and the append's length. */
  i: number;
  n: number;
  /** Which of several frames of the append this belongs to, from 1; absent where the append is one frame. */
  frame?: number;
  /** The process that wrote it. */
  writer: string;
  /** On the first event of a controller's append. */
  basis?: Basis;
  /** Which step of its decision this is (`0`, `1`, …, or `record`), or whose refusal it records. */
  step?: string;
  /** Covers what the event says and the predecessor's digest: in the stream for objects, of the same writer in a decision stream. */
  digest: string;
}

const refusedPrefix = 'refused/';

/** Names the refusal of a step, where it is recorded. */
export function refusalOf(step: string): string {
  return `${refusedPrefix}${step}`;
}

/** The step whose refusal is recorded under this name; undefined: it is none. */
export function refusedStep(name: string | undefined): string | undefined {
  return name?.startsWith(refusedPrefix) ? name.slice(refusedPrefix.length) : undefined;
}
