import type { JsonObject } from '#libs/kernel';
import type { AppendNotes, Basis, EventMetadata } from './metadata';

/**
 * Metadata as they stand in the log. What the events of an append share stands once, on its first event: the later ones carry their
 * place, their digest, and nothing else that follows from the first. What is absent is: `i` and `n` and `v` 1; `actor` the controller
 * that decided; of a basis the position `at`, the time of the append, and as its subject the object of the stream.
 */
export interface StoredMetadata extends AppendNotes {
  $correlationId?: string;
  $causationId?: string;
  actor?: string;
  v?: number;
  time?: number;
  i?: number;
  n?: number;
  frame?: number;
  writer?: string;
  /** The decision alone where all else follows. */
  basis?: string | (Partial<Basis> & Pick<Basis, 'decision'>);
  step?: string;
  digest?: string;
  /** Up to version 0.1.0: digest of the predecessor. */
  follows?: string;
}

/** All of it but the digest, which covers it. */
export type Unsigned = Omit<EventMetadata, 'digest'>;

/** Whether an event begins an append: of stored metadata and of whole. */
export function isFirstOfAppend(metadata: JsonObject | undefined): boolean {
  return ((metadata?.i as number | undefined) ?? 1) === 1;
}

/** What of an event's metadata is stored, in the order in which it is. */
export function storedMetadata(whole: Unsigned, stream: string): StoredMetadata {
  const v = whole.v === 1 ? undefined : whole.v;
  if (whole.i > 1) return { i: whole.i, frame: whole.frame, v };
  const { basis, actor } = whole;
  return {
    $correlationId: whole.$correlationId,
    $causationId: whole.$causationId,
    actor: basis && actor === deciderOf(basis.decision) ? undefined : actor,
    time: whole.time,
    n: whole.n === 1 ? undefined : whole.n,
    frame: whole.frame,
    v,
    writer: whole.writer,
    at: whole.at,
    w: whole.w,
    open: whole.open,
    lost: whole.lost,
    op: whole.op,
    verb: whole.verb,
    sub: whole.sub,
    body: whole.body,
    version: whole.version,
    agent: whole.agent,
    impersonator: whole.impersonator,
    groups: whole.groups,
    manager: whole.manager,
    basis: basis && storedBasis(basis, whole, stream),
    step: whole.step,
    tape: whole.tape,
  };
}

/**
 * The metadata of a stored event as readers get them. Those of another program, and of version 0.1.0, which repeated everything on each
 * event, come back as they are.
 * @param first whole metadata of the first event of the same append, where this is a later one
 */
export function wholeMetadata(stored: JsonObject, stream: string, first: EventMetadata | undefined): EventMetadata {
  const own = stored as unknown as StoredMetadata;
  const isAsItWas = own.i === undefined ? own.writer === undefined : own.n !== undefined;
  if (isAsItWas) return stored as unknown as EventMetadata;
  if (own.i !== undefined) return laterMetadata(own, first);
  const time = own.time as number;
  const basis = own.basis === undefined ? undefined : wholeBasis(own.basis, own.at, time, stream);
  return {
    $correlationId: own.$correlationId as string,
    $causationId: own.$causationId,
    actor: own.actor ?? (basis && deciderOf(basis.decision)) ?? '',
    v: own.v ?? 1,
    time,
    i: 1,
    n: own.n ?? 1,
    frame: own.frame,
    writer: own.writer as string,
    at: own.at,
    w: own.w,
    open: own.open,
    lost: own.lost,
    op: own.op,
    verb: own.verb,
    sub: own.sub,
    body: own.body,
    version: own.version,
    agent: own.agent,
    impersonator: own.impersonator,
    groups: own.groups,
    manager: own.manager,
    tape: own.tape,
    basis,
    step: own.step,
    digest: own.digest as string,
  };
}

function laterMetadata(own: StoredMetadata, first: EventMetadata | undefined): EventMetadata {
  return {
    $correlationId: first?.$correlationId as string,
    $causationId: first?.$causationId,
    actor: first?.actor as string,
    v: own.v ?? 1,
    time: first?.time as number,
    i: own.i as number,
    n: first?.n as number,
    frame: own.frame,
    writer: first?.writer as string,
    step: first?.step,
    digest: own.digest as string,
  };
}

function storedBasis(basis: Basis, { at, time }: Unsigned, stream: string): StoredMetadata['basis'] {
  const { decision, subject, position, now } = basis;
  const more = {
    decision,
    subject: subject === nameIn(stream) ? undefined : subject,
    position: position === at ? undefined : position,
    now: now === time ? undefined : now,
  };
  return (more.subject ?? more.position ?? more.now) === undefined ? decision : more;
}

function wholeBasis(stored: NonNullable<StoredMetadata['basis']>, at: number | undefined, time: number, stream: string): Basis {
  if (typeof stored === 'string') return { decision: stored, subject: nameIn(stream), position: at as number, now: time };
  const { subject = nameIn(stream), position = at as number, now = time } = stored;
  return { ...stored, subject, position, now };
}

/** The controller whose decision it is: the first part of its name. */
function deciderOf(decision: string): string {
  return decision.slice(0, decision.indexOf('/'));
}

/** What a stream of an object is named after: `default/web-0` of `local.pods-default/web-0`. */
function nameIn(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}
