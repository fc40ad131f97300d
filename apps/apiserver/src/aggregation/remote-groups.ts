import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';

export const apiServices = 'apiservices.apiregistration.k8s.io';

/** A group version that another server answers. */
export interface RemoteGroupVersion {
  /** Of its APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM; absent: the CAs that the machine trusts. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly isAvailable: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** The APIService that says so. */
  readonly said: KubeObject;
}

interface ApiServiceSpec {
  group?: string;
  version: string;
  service?: { namespace: string; name: string; port?: number } | null;
  caBundle?: string | null;
  insecureSkipTLSVerify?: boolean;
  groupPriorityMinimum: number;
  versionPriority: number;
}

const none: ReadonlyMap<string, RemoteGroupVersion> = new Map();
const servicePort = 443;
/** The group without a name: all of `/api` goes with it. */
const legacyName = 'v1.';

/** Which group versions other servers answer, by the APIServices of now. */
export class RemoteGroups {
  private madeAt = -1;
  private byPath = none;

  constructor(private readonly state: ClusterState) {}

  /** By the first three parts of their paths: `/apis/GROUP/VERSION`. */
  get all(): ReadonlyMap<string, RemoteGroupVersion> {
    const { objects, changes } = this.state.table(apiServices);
    if (changes !== this.madeAt) {
      this.madeAt = changes;
      this.byPath = remoteOf(objects.values());
    }
    return this.byPath;
  }

  /** Who answers a path. Undefined: this server. */
  find(path: string): RemoteGroupVersion | undefined {
    const { all } = this;
    if (all.size === 0 || !path.startsWith('/api')) return undefined;
    if (path === '/api' || path.startsWith('/api/')) return all.get('/api');
    const end = endOfVersion(path);
    return end < 0 ? undefined : all.get(path.slice(0, end));
  }
}

/** Those of APIServices that name a Service. */
export function remoteOf(services: Iterable<KubeObject>): ReadonlyMap<string, RemoteGroupVersion> {
  const found = new Map<string, RemoteGroupVersion>();
  for (const said of services) {
    const remote = read(said);
    if (remote) found.set(remote.name === legacyName ? '/api' : `/apis/${remote.group}/${remote.version}`, remote);
  }
  return found;
}

function read(said: KubeObject): RemoteGroupVersion | undefined {
  const { group = '', version, service, caBundle, insecureSkipTLSVerify = false, ...spec } = said.spec as unknown as ApiServiceSpec;
  if (!service) return undefined;
  const conditions = (said.status?.conditions ?? []) as { type: string; status: string }[];
  return {
    name: said.metadata.name,
    group,
    version,
    service: { namespace: service.namespace, name: service.name, port: service.port ?? servicePort },
    ...(caBundle ? { ca: Buffer.from(caBundle, 'base64').toString('utf8') } : {}),
    insecure: insecureSkipTLSVerify,
    isAvailable: conditions.find(({ type }) => type === 'Available')?.status === 'True',
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    said,
  };
}

/** Where the version of `/apis/GROUP/VERSION…` ends; -1: there is none. */
function endOfVersion(path: string): number {
  if (!path.startsWith('/apis/')) return -1;
  const group = path.indexOf('/', 6);
  if (group < 0) return -1;
  const version = path.indexOf('/', group + 1);
  return version < 0 ? path.length : version;
}
