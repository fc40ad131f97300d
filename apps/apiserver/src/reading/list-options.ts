import {
  badRequest,
  goQuote,
  isSelectorError,
  parseFieldSelector,
  parseLabelSelector,
  validateListOptions,
  type Failure,
  type FieldSelector,
  type LabelSelector,
  type ResourceKind,
} from '#libs/kube-api';
import type { Query } from '../request-info/query';

export interface Selection {
  labels: LabelSelector;
  fields: FieldSelector;
  /** Neither selector says anything: every object is meant. */
  all: boolean;
}

/** `metav1.ListOptions`, read and checked. */
export interface ListOptions extends Selection {
  /** 0: no limit. */
  limit: number;
  continue: string;
  resourceVersion: string;
  match: '' | 'Exact' | 'NotOlderThan';
  timeoutSeconds: number | undefined;
  bookmarks: boolean;
  sendInitialEvents: boolean | undefined;
}

/** The options of a list or watch; upstream's order of checks: form, then selectors, then what goes with what. */
export function readListOptions(kind: ResourceKind, query: Query, isWatch: boolean): ListOptions | Failure {
  const limit = query.integer('limit');
  if ('error' in limit) return badRequest(limit.error);
  const timeoutSeconds = query.integer('timeoutSeconds');
  if ('error' in timeoutSeconds) return badRequest(timeoutSeconds.error);
  const selection = readSelection(kind, query);
  if ('code' in selection) return selection;
  const given = {
    match: query.text('resourceVersionMatch'),
    resourceVersion: query.text('resourceVersion'),
    continue: query.text('continue'),
    sendInitialEvents: query.flag('sendInitialEvents'),
  };
  const failure = validateListOptions({ ...given, resourceVersionMatch: given.match, watch: isWatch });
  if (failure) return failure;
  return {
    ...selection,
    ...given,
    match: given.match as ListOptions['match'],
    limit: Math.max(0, limit.value ?? 0),
    timeoutSeconds: timeoutSeconds.value,
    bookmarks: query.flag('allowWatchBookmarks') ?? false,
  };
}

export function readSelection(kind: ResourceKind, query: Query): Selection | Failure {
  const labels = parseLabelSelector(query.text('labelSelector'));
  if (isSelectorError(labels)) return badRequest(labels.error);
  const fields = parseFieldSelector(kind, query.text('fieldSelector'));
  if (isSelectorError(fields)) return badRequest(fields.error);
  return { labels, fields, all: labels.requirements.length === 0 && fields.terms.length === 0 };
}

/** A resourceVersion as a number; `error` in Go's words. Versions here stay below 2^53. */
export function parseVersion(text: string): { value: number } | { error: string } {
  const parse = `strconv.ParseUint: parsing ${goQuote(text)}`;
  if (!/^\d+$/.test(text)) return { error: `resourceVersion: Invalid value: ${goQuote(text)}: ${parse}: invalid syntax` };
  if (BigInt(text) > 18_446_744_073_709_551_615n)
    return { error: `resourceVersion: Invalid value: ${goQuote(text)}: ${parse}: value out of range` };
  return { value: Number(text) };
}
