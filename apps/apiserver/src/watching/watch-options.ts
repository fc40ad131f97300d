import { isFailure, plainError, type Failure, type ResourceKind } from '#libs/kube-api';
import { parseVersion, readListOptions, type ListOptions } from '../reading/list-options';
import type { Query } from '../request-info/query';

/** What a watch begins with. */
export interface WatchStart {
  /** The present state as ADDED events; otherwise the changes since a version. */
  initial: boolean;
  /** A bookmark tells where the state ends. */
  marksInitial: boolean;
  /** Changes later than this; undefined: than the present. */
  after: number | undefined;
}

export interface WatchOptions extends ListOptions {
  start: WatchStart;
}

/** The options of a watch, and what follows from them for its beginning. */
export function readWatchOptions(kind: ResourceKind, query: Query): WatchOptions | Failure {
  const options = readListOptions(kind, query, true);
  if (isFailure(options)) return options;
  const { resourceVersion, sendInitialEvents, bookmarks } = options;
  const parsed = resourceVersion === '' ? { value: 0 } : parseVersion(resourceVersion);
  if ('error' in parsed) return plainError(parsed.error);
  const after = parsed.value === 0 ? undefined : parsed.value;
  const initial = sendInitialEvents ?? after === undefined;
  // A watch without any version and with bookmarks is told where its state ends, asked for or not.
  const marksInitial = bookmarks && initial && (sendInitialEvents === true || resourceVersion === '');
  return { ...options, start: { initial, marksInitial, after } };
}
