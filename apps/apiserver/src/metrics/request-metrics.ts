import { findSubresource, versionInfo, type KindCatalogue, type ResourceKind } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import type { RequestInfo } from '../request-info/request-info';
import { expositionType, Family, labelled } from './exposition';

/** As upstream's library names the format that everybody reads. */

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const mutating: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Paths outside of resources that are told apart; any other is one. */
const knownPath = /^\/(healthz|livez|readyz|metrics|version|api|apis|openapi\/v2|openapi\/v3)\/?$/;

/** What of the API server's own counts upstream has too, and where its process stands. */
export class RequestMetrics {
  private readonly requests = new Family('apiserver_request_total', 'counter', 'Requests answered, by verb, resource and HTTP status.');
  private readonly longRunning = new Family('apiserver_longrunning_requests', 'gauge', 'Watches and other streams that are open.');
  private readonly inFlight = { mutating: 0, readOnly: 0 };

  /** A request begins. @returns what to call when it is answered */
  begin(method: string): () => void {
    const kind = mutating.has(method) ? 'mutating' : 'readOnly';
    this.inFlight[kind]++;
    return () => void this.inFlight[kind]--;
  }

  /** An answer has been made. */
  answered(info: RequestInfo | undefined, kinds: KindCatalogue, code: number): void {
    const dryRun = info?.query.text('dryRun') === 'All' ? 'All' : '';
    this.requests.add(answeredLabels(info, kinds, String(code), dryRun), 1);
  }

  /** A stream is open. @returns what to call when it is over */
  opened(info: RequestInfo | undefined, kinds: KindCatalogue): () => void {
    const labels = labelled(labelsOf(info, kinds));
    this.longRunning.add(labels, 1);
    return () => this.longRunning.add(labels, -1);
  }

  /** `/metrics` */
  answer(): Answer {
    const inFlight = new Family('apiserver_current_inflight_requests', 'gauge', 'Requests that are being answered, streams left out.');
    for (const [kind, count] of Object.entries(this.inFlight)) inFlight.add(labelled({ request_kind: kind }), count);
    const build = new Family('kubernetes_build_info', 'gauge', 'The release whose API is served.');
    const { major, minor, gitVersion } = versionInfo() as Record<string, string>;
    build.add(labelled({ git_version: gitVersion ?? '', major: major ?? '', minor: minor ?? '' }), 1);
    const families = [inFlight, this.longRunning, this.requests, build, ...processFamilies()];
    return { status: 200, contentType: expositionType, body: families.map((family) => family.text()).join(''), compressible: true };
  }
}

function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const cpu = new Family('process_cpu_seconds_total', 'counter', 'Processor time of the process, in seconds.');
  cpu.add('', (user + system) / 1_000_000);
  const memory = new Family('process_resident_memory_bytes', 'gauge', 'Memory that the process holds, in bytes.');
  memory.add('', process.memoryUsage.rss());
  const start = new Family('process_start_time_seconds', 'gauge', 'When the process began, in seconds since 1970.');
  start.add('', Math.floor(performance.timeOrigin) / 1000);
  return [cpu, memory, start];
}

const madeLabels = new WeakMap<ResourceKind, Map<string, string>>();

/** Labels of what is asked again and again are made once; of what they are made of there are few, whatever clients send. */
function answeredLabels(info: RequestInfo | undefined, kinds: KindCatalogue, code: string, dryRun: string): string {
  const make = (): string => labelled({ code, ...labelsOf(info, kinds), dry_run: dryRun });
  const path = info?.resource;
  const kind = path && kinds.findResource(path.group, path.version, path.resource);
  if (!path || !kind || path.subresource !== undefined) return make();
  let made = madeLabels.get(kind);
  if (!made) madeLabels.set(kind, (made = new Map()));
  const known = methods.has(info.method) ? info.method : 'other';
  const key = `${code} ${known} ${path.verb ?? ''} ${path.name === undefined} ${path.namespace === undefined} ${dryRun}`;
  let labels = made.get(key);
  if (labels === undefined) made.set(key, (labels = make()));
  return labels;
}

interface Labels {
  [name: string]: string;
}

/** The resource is named only if there is such a one: what clients make up is not to be kept. */
function labelsOf(info: RequestInfo | undefined, kinds: KindCatalogue): Labels {
  const method = info && methods.has(info.method) ? info.method : 'other';
  const path = info?.resource;
  const kind = path && kinds.findResource(path.group, path.version, path.resource);
  if (!path || !kind) {
    const subresource = info && knownPath.test(info.path) ? info.path.replace(/\/$/, '') : '';
    return { component: 'apiserver', group: '', resource: '', scope: '', subresource, verb: method, version: '' };
  }
  const subresource = path.subresource !== undefined && findSubresource(kind, path.subresource) ? path.subresource : '';
  const scope = path.name !== undefined ? 'resource' : path.namespace !== undefined ? 'namespace' : 'cluster';
  return {
    component: 'apiserver',
    group: path.group,
    resource: path.resource,
    scope,
    subresource,
    verb: verbOf(method, path.verb, subresource),
    version: path.version,
  };
}

const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Reads by what they read, writes by their method; what leaves HTTP is a CONNECT (upstream `CanonicalVerb`). */
function verbOf(method: string, verb: string | undefined, subresource: string): string {
  if (connecting.has(subresource)) return 'CONNECT';
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') return verb.toUpperCase();
  return method;
}
