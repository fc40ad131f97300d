/** Codes of gRPC (google.rpc.Code). */
export const code = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type Code = (typeof code)[keyof typeof code];

/** How a call ends. */
export interface CallStatus {
  code: Code;
  details?: string;
  /** Further trailers, printable ASCII. */
  trailers?: Readonly<Record<string, string>>;
}

/** A status as an error, so that handlers can throw it. */
export class StatusError extends Error {
  constructor(readonly status: CallStatus) {
    super(status.details ?? '');
  }
}
