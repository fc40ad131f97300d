import type { Backend, BackendConnections, ClientIdentity } from '#libs/app-shell/outside';
import { serviceAddress, serviceAuthority, type ClusterState } from '#libs/cluster-state';
import type { ClusterRuntime, Writer } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import type { Failure } from '#libs/kube-api';
import type { OpenApiDocument } from '#libs/kube-api/openapi';
import type { ApiRequest } from '../api-request';
import { wantsAggregated, type DiscoveryDocuments } from '../discovery/discovery';
import type { Handled } from '../http/answer';
import type { RequestInfo } from '../request-info/request-info';
import { metricsGroup, metricsVersion, simulatedMetricsHost } from '../metrics-server/metrics-group';
import type { ClusterView } from '../serving/cluster-view';
import type { AvailabilityShell } from './availability-shell';
import type { MergedDocuments } from './merged-documents';
import type { RemoteSchemas } from './remote-schemas';
import { apiServices, remoteOf, RemoteGroups, type RemoteGroupVersion } from './remote-groups';

/** What other servers answer behind this one (upstream: kube-aggregator). Nothing of it is loaded before there is such a server. */
export class Aggregation {
  readonly groups: RemoteGroups;
  private kept: BackendConnections | undefined;
  private documents: MergedDocuments | undefined;
  private schemas: RemoteSchemas | undefined;
  private shell: AvailabilityShell | undefined;
  private folded: { unsubscribe(): void } | undefined;
  private isClosed = false;

  /**
   * @param identity how servers of aggregated APIs know this one; undefined: they do not
   * @param now cluster time, ms
   */
  constructor(
    private readonly state: ClusterState,
    private readonly identity: ClientIdentity | undefined,
    private readonly now: () => number,
  ) {
    this.groups = new RemoteGroups(state);
  }

  /** The answer of another server to a request that is for it. */
  async answer(asked: ApiRequest, remote: RemoteGroupVersion): Promise<Handled | Failure> {
    const { forward, unavailable } = await import('./forward.js');
    // What another server would have said then, nobody knows.
    if (!remote.isAvailable || asked.info.at !== undefined) return unavailable();
    if (this.isSimulated(remote)) {
      const { metricsAnswer } = await import('../metrics-server/metrics-server.js');
      return metricsAnswer(asked, this.state, this.now());
    }
    const backend = this.backendOf(remote);
    if (!('error' in backend)) return forward(asked, backend, await this.connections());
    return backend.error.startsWith('dial ') ? unavailable(`error trying to reach service: ${backend.error}`) : unavailable();
  }

  /** What all servers together have to serve, at the moment that a view shows. Undefined: this one serves all that there is. */
  async discoveryAt(view: ClusterView, info: RequestInfo, accept: string | undefined): Promise<DiscoveryDocuments | undefined> {
    const isPast = info.at !== undefined;
    const table = isPast ? (await view.look(apiServices))() : this.state.table(apiServices);
    const remotes = isPast ? remoteOf(table.objects.values()) : this.groups.all;
    if (remotes.size === 0) return undefined;
    const { MergedDocuments } = await import('./merged-documents.js');
    this.documents ??= new MergedDocuments(this);
    const asksAll = info.path.replace(/\/$/, '') === '/apis' && wantsAggregated(accept);
    // Of what other servers had to serve then, nobody knows.
    return this.documents.of({ kinds: view.kinds, table, remotes: [...remotes.values()], asks: asksAll && !isPast });
  }

  /** Where OpenAPI documents of other servers are, by their paths below `/openapi/v3`; none for who asks for something else. */
  async schemaUrls(path: string): Promise<ReadonlyMap<string, string>> {
    if (!path.startsWith('/openapi/v3')) return new Map();
    const documents = await (await this.remoteSchemas()).all();
    return new Map([...documents].map(([path, { url }]) => [path, url]));
  }

  /** OpenAPI v2 of all servers together. */
  async mergedSchema(own: OpenApiDocument): Promise<OpenApiDocument> {
    return (await this.remoteSchemas()).merged(own);
  }

  /** The OpenAPI document of another server. @param name its path below `/openapi/v3`. Undefined: none has it */
  async schema(asked: ApiRequest, name: string): Promise<Handled | Failure | undefined> {
    const found = (await (await this.remoteSchemas()).all()).get(name);
    return found && this.answer(asked, found.remote);
  }

  /** All connections to other servers are begun here. */
  async connections(): Promise<BackendConnections> {
    const { BackendConnections } = await import('#libs/app-shell/outside');
    return (this.kept ??= new BackendConnections(this.identity));
  }

  private async remoteSchemas(): Promise<RemoteSchemas> {
    const { RemoteSchemas } = await import('./remote-schemas.js');
    this.schemas ??= new RemoteSchemas(this);
    return this.schemas;
  }

  /** Whether the other server is a simulated one: a metrics server whose Service says so. Nothing is dialled then. */
  isSimulated({ group, version, service }: RemoteGroupVersion): boolean {
    if (group !== metricsGroup || version !== metricsVersion) return false;
    const address = serviceAddress(this.state, service.namespace, service.name, service.port);
    return !('error' in address) && address.host === simulatedMetricsHost;
  }

  /** Where a group version is answered, or why that cannot be found out. */
  backendOf({ service, ca, insecure }: RemoteGroupVersion): Backend | { error: string } {
    const { namespace, name, port } = service;
    const address = serviceAddress(this.state, namespace, name, port);
    if ('error' in address) return address;
    // What has an address is there.
    const object = this.state.get('services', namespace, name) as KubeObject;
    return { ...address, serverName: `${name}.${namespace}.svc`, authority: serviceAuthority(object, port), ca, insecure };
  }

  /** Finds out from now on whether the others answer, as soon as there are any. @param onError told what went wrong here */
  watch(runtime: ClusterRuntime, writer: Writer, onError: (error: Error) => void): void {
    const begin = async (): Promise<void> => {
      const { AvailabilityShell } = await import('./availability-shell.js');
      if (this.isClosed) return;
      this.shell = new AvailabilityShell(runtime, writer, this, onError);
      this.shell.start();
    };
    let isBegun = false;
    const beginOnce = (): void => {
      if (isBegun || this.groups.all.size === 0) return;
      isBegun = true;
      begin().catch(onError);
    };
    beginOnce();
    this.folded = runtime.folded$.subscribe((appends) => {
      if (this.shell) this.shell.follow(appends);
      else if (appends.some(({ change }) => change?.resource === apiServices)) beginOnce();
    });
  }

  close(): void {
    this.isClosed = true;
    this.folded?.unsubscribe();
    this.shell?.stop();
    this.kept?.close();
  }
}
