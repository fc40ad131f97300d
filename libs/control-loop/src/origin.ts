import type { WaitSignal } from '#libs/event-log';
import type { AppendNotes, Basis } from '#libs/events';
import type { AuditAnnotation, Caller, Requester } from '#libs/kube-api';

/** Who writes, why, and under which name: what an event's metadata says beside its place. */
export interface Origin {
  /** `user:NAME`, or the controller. */
  actor: string;
  /** Names the operation; event ids, uids and generated names are derived from it. */
  operation: string;
  correlationId: string;
  causationId?: string;
  basis?: Basis;
  /** A part of a decision that carries no basis of its own: a question to a reviewer. */
  isOfDecision?: boolean;
  /** What was asked for, where nobody's decision did. */
  request?: Pick<AppendNotes, 'verb' | 'sub' | 'body' | 'version' | 'manager'>;
  /** The client, as it names itself. */
  agent?: string;
  /** Who has sent it, where the actor is a user whom he acts for. */
  impersonator?: string;
  /** Groups of the user, those that do not follow from his name. */
  groups?: string[];
  step?: string;
  /** Whose rights are looked at beyond what his request's path told. */
  requester?: Requester;
  /** Who asks, as webhooks and policies see him. Absent: the controller whose decision it is, or nobody. */
  caller?: Caller;
  /** Hears what the record of the request is to say of this write, each time that it is made ready. Absent: it is not recorded. */
  annotated?(operation: string, annotations: ReadonlyMap<string, AuditAnnotation>): void;
  /** Aborted when nobody waits for the write any more; what has not been sent by then is not written. */
  signal?: WaitSignal;
}
