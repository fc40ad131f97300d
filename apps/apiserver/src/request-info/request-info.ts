import { Query } from './query';

/** What a request is about, read from its method and path alone (upstream `RequestInfoFactory`). */
export interface RequestInfo {
  method: string;
  /** Decoded, without the `/at/<when>` prefix. */
  path: string;
  query: Query;
  /** `<when>` of a read in the past. */
  at?: string;
  /** Set for `/api/…` and `/apis/…` paths that go below a group version. */
  resource?: ResourcePath;
}

export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface ResourcePath {
  group: string;
  version: string;
  resource: string;
  namespace?: string;
  name?: string;
  subresource?: string;
  /** What follows the subresource (`proxy/some/path`). */
  rest: readonly string[];
  /** Undefined for methods that are no API verb. */
  verb: RequestVerb | undefined;
  /** Slashes stand side by side: nothing is served there. What is asked for is still a resource, so that rights to documents do not lead there. */
  isBroken?: true;
}

const verbs: Readonly<Record<string, RequestVerb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  GET: 'get',
  HEAD: 'get',
  DELETE: 'delete',
};

/** Subresources of a namespace itself, told from resources inside it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/** Undefined for a target that is no path at all. */
export function readRequestInfo(method: string, target: string): RequestInfo | undefined {
  const mark = target.indexOf('?');
  const path = decodePath(mark < 0 ? target : target.slice(0, mark));
  if (path === undefined) return undefined;
  const info: RequestInfo = { method, path, query: new Query(mark < 0 ? '' : target.slice(mark + 1)) };
  const past = /^\/at\/([^/]+)(\/.*|$)/.exec(path);
  if (past) {
    info.at = past[1];
    info.path = past[2] || '/';
  }
  info.resource = readResourcePath(info);
  return info;
}

/** Percent signs are undone once; what is then no valid text is refused. Dots and doubled slashes mean nothing special here. */
function decodePath(text: string): string | undefined {
  if (!text.startsWith('/')) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readResourcePath({ method, path, query }: RequestInfo): ResourcePath | undefined {
  const parts = path.split('/');
  // A leading slash gives an empty first part, a trailing one an empty last.
  parts.shift();
  if (parts[parts.length - 1] === '') parts.pop();
  const root = parts.shift();
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (parts.shift() ?? '') : '';
  const version = parts.shift();
  if (version === undefined || parts.length === 0) return undefined;
  const broken = [...(root === 'apis' ? [group] : []), version, ...parts].includes('');
  let verb = verbs[method];
  const watchPath = parts[0] === 'watch' && parts.length > 1;
  if (watchPath) parts.shift();
  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts.length > 2 && !namespaceSubresources.has(parts[2] as string)) {
    namespace = parts[1];
    parts.splice(0, 2);
  }
  const [resource = '', name, subresource, ...rest] = parts;
  if (name === undefined && verb === 'get') verb = 'list';
  if (name === undefined && verb === 'delete') verb = 'deletecollection';
  // Upstream's too: whoever sends a body to such a path asks to watch, which no route does but GET's.
  if (watchPath) verb = 'watch';
  else if (verb === 'list' && query.flag('watch')) verb = 'watch';
  return { group, version, resource, namespace, name, subresource, rest, verb, ...(broken ? { isBroken: true } : {}) };
}
