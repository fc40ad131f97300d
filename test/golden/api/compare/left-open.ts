// EVERYTHING the comparison of API sessions lets pass, in one place. The source of each entry is the README of the recordings
// ("Comparing", "Placeholders", "Files"); what is not listed here has to agree. Placeholders themselves: placeholders.ts, bindings.ts.
import type { Header, RecordedFrame } from '../recording';

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Headers: Date and Content-Length are never kept; elsewhere than in discovery and negotiation only those below are. */
export const neverKeptHeaders: ReadonlySet<string> = new Set(['date', 'content-length']);
export const keptHeaders: ReadonlySet<string> = new Set(['content-type', 'warning', 'retry-after', 'location', 'etag', 'vary']);
export const keepsAllHeaders = (header: Header): boolean => header.area === 'discovery' || header.area === 'negotiation';
/** Content-Type is kept only where it is not `application/json`. */
export const plainContentType = 'application/json';

/**
 * "`beforeStep` larger than the last step = cleaning up": what it deletes may be gone and what it restores may be there (the
 * recorded answers themselves say so of priorityclass-rules), so its answers do not count.
 */
export const isCleaningUp = ({ beforeStep = 1 }: { beforeStep?: number }, lastStep: number): boolean => beforeStep > lastStep;

/** `metadata.managedFields` is left out of bodies, except in these sessions. */
const withManagedFields: ReadonlySet<string> = new Set(['configmap-crud', 'server-side-apply']);
export const leavesOutManagedFields = (header: Header): boolean => !withManagedFields.has(header.session);

/** "the order of parallel bootstrap objects": what this session lists was written in parallel at the start, in any order. */
export const bootstrapVersionsAreUnordered = (header: Header): boolean => header.session === 'default-objects';

/** "the order of … componentstatuses": of their list, and of its rows as a Table, which nothing but the columns tells from another. */
export const isUnorderedList = (body: Json): boolean =>
  body['kind'] === 'ComponentStatusList' || (body['kind'] === 'Table' && columnsOf(body) === 'Name,Status,Message,Error');
const columnsOf = (table: Json): string =>
  Array.isArray(table['columnDefinitions']) ? table['columnDefinitions'].map((column) => String((column as Json)['name'])).join() : '';

/** The day on which a cluster began: the recorded one is that of the recording. */
export const isDayOfStart = (path: string, value: unknown): boolean =>
  path.endsWith('.data.since') && typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);

/**
 * Descriptions in OpenAPI documents are upstream's prose, which is not carried over: documents have words of our own, or none. All else of a
 * document has to agree.
 */
export function withoutWords(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(withoutWords);
  if (!isJson(document)) return document;
  const kept = Object.entries(document).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutWords(value)]));
}
export const isOpenApiDocument = (bodyFile: string | undefined): boolean => bodyFile?.startsWith('openapi/v3/') === true;

/** "the order of `*Rules` in reviews". */
export const isUnorderedRules = (owner: Json, key: string): boolean =>
  key.endsWith('Rules') && Array.isArray(owner[key]) && 'incomplete' in owner;

/** "Order of `details.causes`" in a Status. */
export const isCauses = (path: string): boolean => path.endsWith('.details.causes');

/**
 * "A list's own `<rv>` may be larger than the last write": order instead of equality (Bindings.listVersion). It is the version
 * of a list, of a Table of a list and of a bookmark, and the `current:` version that messages name.
 */
export const namesCurrentVersion = (message: string): boolean => /\bcurrent: <rv:\d+>/.test(message);

/** "number and moment of plain bookmarks": one without the mark of the initial events' end, in a watch that asked for bookmarks. */
export const isBookmark = (frame: unknown): boolean => isJson(frame) && frame['type'] === 'BOOKMARK';
export const isPlainBookmark = (frame: unknown): boolean =>
  isBookmark(frame) && !JSON.stringify(frame).includes('"k8s.io/initial-events-end"');
export const asksForBookmarks = (query: string): boolean => /(^|&)(allowWatchBookmarks|sendInitialEvents)=(?!false|0)/.test(query);

/** "`afterStep` by one": by how many steps a frame may come earlier or later than recorded. */
export const frameTolerance = 1;

/**
 * "frames for different objects deleted by the garbage collector": neighbouring frames that delete an object which has owners.
 * Their versions keep no order among them either.
 */
export function isCollected(header: Header, recorded: RecordedFrame): boolean {
  const { frame } = recorded;
  if (!header.runs.includes('controller-manager') || !isJson(frame) || !isJson(frame['object'])) return false;
  const metadata = frame['object']['metadata'];
  if (isJson(metadata) && isOrphaned(header, frame, metadata)) return true;
  if (!isJson(metadata) || !Array.isArray(metadata['ownerReferences'])) return false;
  return frame['type'] === 'DELETED' || 'deletionTimestamp' in metadata;
}

/** Upstream's collector orphans all dependents at once, each in a goroutine; nothing else writes such objects in this session. */
const isOrphaned = (header: Header, frame: Json, metadata: Json): boolean =>
  header.session === 'cascade' && frame['type'] === 'MODIFIED' && !('ownerReferences' in metadata) && !('deletionTimestamp' in metadata);

/**
 * "In preemption-live and deployment-live the controllers' writes interleave freely; check the set of states": versions keep
 * no order, frames and listed objects are compared as sets.
 */
const live: ReadonlySet<string> = new Set(['preemption-live', 'deployment-live']);
export const comparesStatesOnly = (header: Header): boolean => live.has(header.session);

/**
 * "Message texts that quote Go types … are worth matching only by prefix": what begins such a quotation. The difference of two
 * pod specs that a refused pod update quotes (`@@ -184,7 …`) is a dump of Go structs too.
 */
const goQuotation =
  /\b[\w./-]*\/?scheme\.go:\d+|\[\][A-Za-z][\w.]*\{|map\[\w+\][\w.{}]+|\bstruct \{|\(\*[a-z]\w*\.\w+\)|\b(?:v1|core|apps|policy|intstr|resource)\.[A-Z]\w*\{|<input>:\d+:\d+|\n@@ -\d+,\d+ \+\d+,\d+ @@/;

/** The part of a message that has to agree, when it quotes Go types. */
export function prefixBeforeGoTypes(message: string): string | undefined {
  const found = goQuotation.exec(message);
  return found === null ? undefined : message.slice(0, found.index);
}

/** "which of two roles 'RBAC: allowed by' names": the form is compared, the names are not. */
const allowedBy = /RBAC: allowed by (?:Cluster)?RoleBinding "[^"]+" of (?:Cluster)?Role "[^"]+" to (?:User|Group|ServiceAccount) "[^"]+"/;
export const withoutRoleNames = (text: string): string =>
  allowedBy.test(text) ? text.replace(allowedBy, 'RBAC: allowed by a role') : text;

/**
 * "the parts of `is invalid: [a, b]` when they come from a map": the map that the field of a cause lies in, or undefined. Such
 * neighbours with the same map may change places.
 */
const mapNames = 'labels|annotations|matchLabels|nodeSelector|resources\\.requests';
const keyedMapNames = 'capacity|allocatable|limits|requests|hard|used|overhead|data|binaryData|stringData';
export function mapOfField(field: string): string | undefined {
  const keyed = /^(.*)\[[^\]]*[^\]\d][^\]]*\]$/.exec(field);
  if (keyed !== null) return keyed[1];
  if (new RegExp(`(?:^|\\.)(?:${mapNames})$`).test(field)) return field;
  return new RegExp(`^(.*(?:^|\\.)(?:${keyedMapNames}))\\.[^.]+$`).exec(field)?.[1];
}

/**
 * Binary answers: "length and first bytes". A length holds digits of resourceVersions and other values of this run, so it may
 * differ by a few bytes; that of whole OpenAPI documents is a matter of their wording (the documents are compared as JSON).
 */
export const lengthMayDifferBy = (length: number): number => (length > 10_000 ? Number.POSITIVE_INFINITY : 12);

/** A `bodyFile` in parentheses was not kept: status and headers are compared, and that there is a body. */
export const isNotKept = (bodyFile: string): boolean => bodyFile.startsWith('(');

/** The administrator of the sessions had a uid of the recording's own; ours is called as in the stories. */
export const administratorUid = (text: string): string => text.replace(/\badmin-uid\b/g, 'admin');

/**
 * In the live sessions a read may come before what the controllers still write, as the recorded one may have: it is repeated for a few
 * seconds until it shows what was recorded.
 */
export const canBeEarly = (header: Header, method: string): boolean => comparesStatesOnly(header) && method === 'GET';

/** "`<hex>` event name suffix", where the recording left one in the cell of a table as it was. */
export const withHexSuffix = (text: string): string => text.replace(/\.[0-9a-f]{16}$/, '.<hex>');

/** How often an Event was repeated depends on how often a controller happened to look; that it was, and all else of it, does not. */
export const isRepeatCount = (header: Header, path: string): boolean =>
  comparesStatesOnly(header) && (path.endsWith('.series.count') || /^body\.rows\[\d+\]\.cells\[8\]$/.test(path));

/**
 * "Set-up … has to succeed": but these patches of podIPs, merged by address, give pods that have an address already a second one of the
 * same family, which upstream refuses (`validatePodIPs`); what they write besides is there already.
 */
export const isRefusedAsRecorded = (header: Header, { method, path }: { method?: string; path?: string }, message: unknown): boolean =>
  header.session === 'deployment-live' &&
  method === 'PATCH' &&
  path?.endsWith('/status') === true &&
  String(message).includes('may specify no more than one IP for each IP family');

/**
 * An Event of a preemption names a version of the preemptor: upstream the one that the attempt began with, here the one that the
 * nomination left. "The controllers' writes interleave freely", so which of the two is the later write's matter.
 */
export const isVersionOfRelated = (header: Header, path: string): boolean =>
  comparesStatesOnly(header) && path.endsWith('.related.resourceVersion');

/** Owners of fields stand in the order of their times, whole seconds, and within one second in that of their names. */
export const isOrderedBySeconds = (key: string): boolean => key === 'managedFields';
