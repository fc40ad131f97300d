import type { JsonObject } from '#libs/kernel';
import { failure, internalError, type Failure, type StatusDetails } from '../../status';

/** 500: a webhook could not be asked, or has not answered what can be used. */
export function callFailed(webhook: string, reason: string): Failure {
  return internalError(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
}

/** The refusal of a webhook in its own words, as far as it has any (upstream: `ToStatusErr`). */
export function deniedBy(webhook: string, status: JsonObject | undefined): Failure {
  const { code, message, reason, details, metadata } = (status ?? {}) as {
    code?: number;
    message?: string;
    reason?: string;
    details?: StatusDetails;
    metadata?: Failure['metadata'];
  };
  const text = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = message || reason;
  const refused = code !== undefined && code >= 400 ? code : 400;
  const made = failureWith(refused, reason || undefined, why ? `${text}: ${why}` : `${text} without explanation`, details);
  return metadata ? { ...made, metadata } : made;
}

function failureWith(code: number, reason: string | undefined, message: string, details: StatusDetails | undefined): Failure {
  if (reason !== undefined || !details) return failure(code, reason, message, details);
  const { code: last, ...head } = failure(code, undefined, message);
  return { ...head, details, code: last };
}
