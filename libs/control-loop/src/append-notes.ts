import { jsonDigest, type AppendNotes } from '#libs/events';
import type { WriteRequest } from '#libs/kube-api';
import type { AppendNumber } from './append-numbers';
import type { Origin } from './origin';

/**
 * The metadata that an append has as a whole. What a decision wrote is known by its basis; of anything else it is said which operation it
 * was.
 */
export function appendNotes(origin: Origin, at: number, number: AppendNumber): AppendNotes {
  const notes: AppendNotes = { at, ...number };
  if (origin.basis || origin.isOfDecision) return notes;
  return { ...notes, op: origin.operation, ...origin.request, ...(origin.agent === undefined ? {} : { agent: origin.agent }) };
}

/** What was asked for, and the digest of the decoded body. */
export function requestNotes(request: WriteRequest): NonNullable<Origin['request']> {
  const { verb } = request;
  const sub = 'subresource' in request ? request.subresource : undefined;
  return { verb, ...(sub === undefined ? {} : { sub }), body: jsonDigest(requestBody(request)) };
}

/** The decoded body, with the options that came beside it. */
export function requestBody(request: WriteRequest): object {
  const { verb: _verb, ...rest } = request;
  return rest;
}
