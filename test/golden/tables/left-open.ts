// What the comparison of recorded tables and lists lets pass, beside what that of the API sessions does. Source: "Comparing" in the README
// of the recordings.
import { isObject } from '#libs/kernel';

type Json = Record<string, unknown>;

const isList = (body: unknown): body is Json => isObject(body) && (body['kind'] === 'Table' || String(body['kind']).endsWith('List'));

/** "List metadata … compare only its presence": any version will do. */
export function withAnyListVersion(body: unknown, ofCollection: boolean): unknown {
  if (!ofCollection || !isList(body) || !isObject(body['metadata']) || !('resourceVersion' in body['metadata'])) return body;
  return { ...body, metadata: { ...body['metadata'], resourceVersion: '<rv>' } };
}

/** "In the steps descriptions are left out." */
export function withoutDescriptions(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['columnDefinitions'])) return body;
  const columnDefinitions = (body['columnDefinitions'] as Json[]).map(({ description: _, ...column }) => column);
  return { ...body, columnDefinitions };
}

/** "Rows and items are cut down to the objects of the set-up"; a row without its object has only its first cell to be known by. */
export function cutDown(body: unknown, ofSetup: ReadonlySet<string>): unknown {
  if (!isObject(body) || ofSetup.size === 0) return body;
  const { rows, items } = body as { rows?: Row[]; items?: Item[] };
  return {
    ...body,
    ...(rows ? { rows: rows.filter(({ cells, object }) => ofSetup.has(object?.metadata.name ?? cells[0] ?? '')) } : {}),
    ...(items ? { items: items.filter(({ metadata }) => ofSetup.has(metadata.name)) } : {}),
  };
}

interface Item {
  metadata: { name: string };
}

interface Row {
  cells: string[];
  object: Item | null;
}

/** "Names starting with `k` are to be left out": config maps that a namespace is given. */
export const isOfSetup = (name: string): boolean => !name.startsWith('k');

/** "`version` other than sameAsAsked depends on what else writes to the cluster." */
export const isComparableVersion = (version: string | undefined): boolean => version === 'sameAsAsked';

/** "The order of parallel bootstrap objects": the server makes its APIServices by itself, several at a time. */
export const isMadeInAnyOrder = (session: string): boolean => session === 'table-apiservices';

/** The version that a message names as the current one. */
export const withoutCurrent = (message: string | undefined): string | undefined =>
  message?.replace(/current: (<current>|\d+)/, 'current: N');
