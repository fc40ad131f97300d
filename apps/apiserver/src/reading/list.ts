import { ResourceTable } from '#libs/cluster-state';
import { HistoryForgottenError } from '#libs/event-log';
import { keyOf } from '#libs/kernel';
import { badRequest, continueTokenExpired, isFailure, listVersionExpired, resourceVersionTooLarge, type Failure } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import type { Look } from '../serving/cluster-view';
import type { ListMetadata } from '../wire/presentation';
import { listAnswer, readIncludeObject } from '../wire/representation';
import { viewOf } from '../wire/object-json';
import { decodeContinue, encodeContinue } from './continue-token';
import { converted } from './converted';
import { parseVersion, readListOptions, type ListOptions } from './list-options';
import { pageOf, type Page } from './page';
import type { ResourceRequest } from './resource-request';

/** Which state a list shows. */
interface Snapshot {
  /** Undefined: the present one. */
  version: number | undefined;
  start: string;
  limit: number;
}

/** GET of a collection. */
export async function listObjects(request: ResourceRequest): Promise<Answer | Failure> {
  const { kind, query, view, negotiated } = request;
  const options = readListOptions(kind, query, false);
  if (isFailure(options)) return options;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  const found = await readPage(request, options);
  if (isFailure(found)) return found;
  return listAnswer(kind, found.page.objects, found.metadata, { negotiated, includeObject, now: view.time });
}

/** The objects a list shows, and what it says of itself. */
export async function readPage(request: ResourceRequest, options: ListOptions): Promise<{ page: Page; metadata: ListMetadata } | Failure> {
  const { namespace, view } = request;
  const snapshot = snapshotOf(options, view.position);
  if (isFailure(snapshot)) return snapshot;
  const { version } = snapshot;
  const look = await lookAt(request, version).catch(forgotten);
  if (look === undefined)
    return options.continue === '' ? listVersionExpired() : continueTokenExpired(encodeContinue({ version: -1, start: snapshot.start }));
  // Read after the wait, in one turn: the table is that of the position now.
  const shown = version ?? view.position;
  const now = look();
  const table = isConvertedToSelect(request, options) ? await convertedTable(request, now) : now;
  if (isFailure(table)) return table;
  const page = pageOf(table, { ...options, namespace, limit: snapshot.limit, start: snapshot.start });
  const metadata: ListMetadata = { resourceVersion: String(shown) };
  if (page.next !== undefined) metadata.continue = encodeContinue({ version: shown, start: page.next });
  if (page.next !== undefined && page.remaining !== undefined) metadata.remainingItemCount = page.remaining;
  return (await converted(view, request.kind, page.objects)) ?? { page, metadata };
}

/** Selectors look at objects as the version has them, which a webhook has to be asked for. */
function isConvertedToSelect({ kind }: ResourceRequest, { all }: ListOptions): boolean {
  return kind.form?.webhook !== undefined && !all;
}

/** What is listed of the table as it is when this is called, in the version that was asked for: what is elsewhere is not converted. */
async function convertedTable({ kind, view, namespace }: ResourceRequest, table: ResourceTable): Promise<ResourceTable | Failure> {
  const objects = [...table.list(namespace)];
  const unconverted = await converted(view, kind, objects);
  if (unconverted) return unconverted;
  const views = new ResourceTable(kind.storage);
  for (const object of objects) views.set(keyOf(object), viewOf(kind, object));
  return views;
}

/** @throws HistoryForgottenError where the version has expired */
async function lookAt({ kind, view }: ResourceRequest, version: number | undefined): Promise<Look> {
  if (version !== undefined) await view.keeps(version);
  return view.look(kind.storage, version);
}

/** Undefined where the log no longer reaches back so far. */
function forgotten(error: unknown): undefined {
  if (!(error instanceof HistoryForgottenError)) throw error;
}

/** Which version a list shows (upstream's table of resourceVersion, match and limit). */
function snapshotOf(options: ListOptions, current: number): Snapshot | Failure {
  const { resourceVersion, match, limit } = options;
  if (options.continue !== '') return continued(options, current);
  if (resourceVersion === '') return { version: undefined, start: '', limit };
  const parsed = parseVersion(resourceVersion);
  if ('error' in parsed) return badRequest(`invalid resource version: ${parsed.error}`);
  if (parsed.value === 0) return { version: undefined, start: '', limit: 0 };
  if (parsed.value > current) return resourceVersionTooLarge(resourceVersion, String(current));
  const exact = match === 'Exact' || (match === '' && limit > 0);
  return { version: exact ? parsed.value : undefined, start: '', limit };
}

function continued(options: ListOptions, current: number): Snapshot | Failure {
  const { resourceVersion, limit } = options;
  if (resourceVersion !== '' && resourceVersion !== '0')
    return badRequest('specifying resource version is not allowed when using continue');
  const token = decodeContinue(options.continue);
  if (isFailure(token)) return token;
  const { version, start } = token;
  if (version > current) return resourceVersionTooLarge(String(version), String(current));
  return { version: version < 0 ? undefined : version, start, limit };
}
