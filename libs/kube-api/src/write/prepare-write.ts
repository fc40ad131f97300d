import type { Annotate, AuditAnnotation } from '../admission';
import { kindsOf } from '../kinds';
import { unknownResource } from '../status';
import { prepareApply } from './apply';
import { prepareBind } from './bind';
import { prepareConnect } from './connect';
import { prepareCreate } from './create';
import { prepareDelete } from './delete';
import { prepareDisrupt } from './disrupt';
import { prepareEvict } from './evict';
import { prepareRecord } from './record';
import type { Prepared, StateView, WriteContext, WriteRequest } from './request';
import { converting } from './converting';
import { adopting } from './unstored';
import { preparePatch, prepareUpdate } from './update';

/**
 * The one way in which anything about an API object changes: a request against a state gives the events to append, a review
 * to wait for, or a refusal. Pure: the same state, request and context give the same answer.
 */
export function prepareWrite(state: StateView, request: WriteRequest, context: WriteContext): Prepared {
  let told: Set<string> | undefined;
  const notes = context.annotated && new Map<string, AuditAnnotation>();
  const telling = {
    ...context,
    warn: (text: string) => void (told ??= new Set()).add(text),
    ...(notes ? { annotate: noting(notes) } : undefined),
  };
  const prepared = adopting(state, request, context.unstored, (view) =>
    converting(view, request, telling, (own) => prepareByVerb(own, request, telling)),
  );
  if (notes && prepared.kind !== 'review') context.annotated?.(notes);
  if (!told || prepared.kind === 'review') return prepared;
  return { ...prepared, warnings: [...(prepared.warnings ?? []), ...told] };
}

function noting(notes: Map<string, AuditAnnotation>): Annotate {
  return (key, value, level) => void (notes.has(key) || notes.set(key, { value, level }));
}

/** Kinds come and go: between a request and its write there may be no such kind any more, or no such version of it. */
function isKnown(state: StateView, request: WriteRequest): boolean {
  const resource = 'target' in request ? request.target.resource : request.resource;
  const kind = kindsOf(state).findGroupResource(resource);
  if (!kind?.form) return kind !== undefined;
  const version = 'version' in request ? request.version : undefined;
  return version === undefined || version === kind.version || kindsOf(state).findResource(kind.group, version, kind.resource) !== undefined;
}

function prepareByVerb(state: StateView, request: WriteRequest, context: WriteContext): Prepared {
  if (!isKnown(state, request)) return { kind: 'refused', status: unknownResource() };
  switch (request.verb) {
    case 'create':
      return prepareCreate(state, request, context);
    case 'update':
      return prepareUpdate(state, request, context);
    case 'patch':
      return preparePatch(state, request, context);
    case 'apply':
      return prepareApply(state, request, context);
    case 'delete':
      return prepareDelete(state, request, context);
    case 'bind':
      return prepareBind(state, request, context);
    case 'evict':
      return prepareEvict(state, request, context);
    case 'disrupt':
      return prepareDisrupt(state, request, context);
    case 'connect':
      return prepareConnect(state, request, context);
    case 'record':
      return prepareRecord(state, request, context);
  }
}
