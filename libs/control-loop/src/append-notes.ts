import { jsonDigest, type AppendNotes } from '#libs/events';
import { managerOfAgent, type WriteOptions, type WriteRequest } from '#libs/kube-api';
import type { AppendNumber } from './append-numbers';
import type { Origin } from './origin';

/**
 * The metadata that an append has as a whole. What a decision wrote is known by its basis; of anything else it is said which operation it
 * was.
 */
export function appendNotes(origin: Origin, at: number, { w, open, lost }: AppendNumber, tape: string | undefined): AppendNotes {
  if (origin.basis || origin.isOfDecision) return { at, w, open, lost, tape };
  const { operation: op, request, agent, impersonator, groups } = origin;
  return {
    at,
    w,
    open,
    lost,
    op,
    verb: request?.verb,
    sub: request?.sub,
    body: request?.body,
    version: request?.version,
    manager: request?.manager,
    agent,
    impersonator,
    groups,
    tape,
  };
}

/** What was asked for, as whom where the client's name does not say it, and the digest of the decoded body. */
export function requestNotes(request: WriteRequest, agent: string | undefined): NonNullable<Origin['request']> {
  const { verb } = request;
  const manager = 'options' in request ? (request.options as WriteOptions | undefined)?.fieldManager : undefined;
  const sub = 'subresource' in request ? request.subresource : undefined;
  const named = manager === undefined || manager === managerOfAgent(agent) ? {} : { manager };
  const version = versionIn(request);
  return {
    verb,
    ...(sub === undefined ? {} : { sub }),
    ...(version === undefined ? {} : { version }),
    ...named,
    body: jsonDigest(requestBody(request)),
  };
}

/** The decoded body, with the options that came beside it. */
export function requestBody(request: WriteRequest): object {
  const { verb: _verb, ...rest } = request;
  return rest;
}

/** Group and version that the request names. */
function versionIn(request: WriteRequest): string | undefined {
  if (!('version' in request) || request.version === undefined) return undefined;
  const { version } = request;
  const resource = 'target' in request ? request.target.resource : request.resource;
  const dot = resource.indexOf('.');
  return version.includes('/') || dot < 0 ? version : `${resource.slice(dot + 1)}/${version}`;
}
