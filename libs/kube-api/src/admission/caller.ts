import type { Authorize } from '#libs/cel';
import type { JsonObject } from '#libs/kernel';

/** `authentication.k8s.io/v1 UserInfo` */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks for a write, as webhooks and policies see it. */
export interface Caller {
  readonly user: UserInfo;
  /** The options of the request as they were sent (`{"fieldManager": "kubectl"}`), without their kind. */
  readonly options?: JsonObject;
  /** What expressions ask of `authorizer`. Absent: administrators may do everything, nobody else anything. */
  readonly authorize?: Authorize;
  /** He asks for the deletion of a collection, which names no object: who is asked about one of them is told its name by the object alone. */
  readonly isOfCollection?: boolean;
  /**
   * Of a write that is made again: what it was asked with is known only in part. Nobody is asked who depends on the rest, and no policy
   * judges that does.
   */
  readonly isPartlyKnown?: boolean;
}
