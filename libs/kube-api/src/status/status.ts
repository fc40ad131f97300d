/** The body of every refusal and of some successes (`v1 Status`). Keys are in the order the API writes them. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { resourceVersion?: string; continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  /** The resource (`pods`); in Invalid and some Conflict answers the kind (`Pod`). */
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface Failure extends Status {
  status: 'Failure';
  message: string;
  code: number;
}

export function failure(code: number, reason: string | undefined, message: string, details?: StatusDetails): Failure {
  const status: Failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
  if (reason === undefined) return status;
  const { code: last, ...head } = status;
  return details === undefined ? { ...head, reason, code: last } : { ...head, reason, details, code: last };
}

/** A plain Status, told from an API object by its kind. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status' && (value as Status).apiVersion === 'v1';
}

export function isFailure(value: unknown): value is Failure {
  return isStatus(value) && value.status === 'Failure';
}

/** `resource.group` or `Kind.group` taken apart; a part that is empty is left out, as the API does. */
export function detailsOf(qualified: string, name?: string): StatusDetails {
  const dot = qualified.indexOf('.');
  const kind = dot < 0 ? qualified : qualified.slice(0, dot);
  const group = dot < 0 ? '' : qualified.slice(dot + 1);
  const details: StatusDetails = {};
  if (name) details.name = name;
  if (group !== '') details.group = group;
  if (kind !== '') details.kind = kind;
  return details;
}
