import { aggregatedDiscoveryType, groupVersionPath } from '#libs/kube-api';
import type { Aggregation } from './aggregation';
import { fromAggregated, fromResourceList, type DiscoveredResource } from './discovered-resources';
import { fetchFrom, readObject } from './fetch';
import { KeptAnswers } from './kept-answers';
import { identityHeaders } from './passed-on';
import type { RemoteGroupVersion } from './remote-groups';

/** What a group version has to serve, as far as its server said so. */
export interface Discovered {
  resources: readonly DiscoveredResource[] | undefined;
  /** `Stale`: the server could not be asked. */
  freshness: 'Current' | 'Stale';
}

/** The answer of a server to the question for all that it has. */
interface WholeAnswer {
  groupVersions: ReadonlyMap<string, DiscoveredResource[]>;
  tag: string | undefined;
}

/** `silent`: no answer; `other`: none in this form. */
type Whole = WholeAnswer | 'silent' | 'other';

const name = 'system:kube-aggregator';
const asMaster = identityHeaders({ name, groups: ['system:masters'] });
const asNobody = identityHeaders({ name, groups: [] });
const aggregatedForms = ['v2', 'v2beta1'].map((version) => aggregatedDiscoveryType.replace(';v=v2;', `;v=${version};`));
const nothing: Discovered = { resources: undefined, freshness: 'Stale' };

/** What other servers have to serve, asked of them for aggregated discovery (upstream: `discoveryManager`). */
export class RemoteDiscovery {
  private readonly wholes = new KeptAnswers<Whole>();
  private readonly singles = new KeptAnswers<Discovered>();
  /** Of a simulated metrics server. */
  private ofMetrics: Discovered | undefined;

  constructor(private readonly aggregation: Aggregation) {}

  async of(remote: RemoteGroupVersion): Promise<Discovered> {
    const asked = this.ask(remote);
    if (remote.isAvailable) return asked;
    // What is known of it is here at once; for the rest everybody would wait who only wants to know what there is.
    return Promise.race([asked, new Promise<Discovered>((resolve) => setImmediate(() => resolve(nothing)))]);
  }

  private async ask(remote: RemoteGroupVersion): Promise<Discovered> {
    const { group, version, service, said } = remote;
    if (this.aggregation.isSimulated(remote)) {
      const { metricsResourceList } = await import('../metrics-server/metrics-server.js');
      return (this.ofMetrics ??= { resources: fromResourceList(metricsResourceList), freshness: 'Current' });
    }
    const whole = await this.wholes.get(`${service.namespace}/${service.name}:${service.port}`, said, (before) =>
      this.whole(remote, before),
    );
    if (whole === 'silent') return nothing;
    if (whole === 'other') return this.singles.get(remote.name, said, () => this.single(remote));
    return { resources: whole.groupVersions.get(`${group}/${version}`), freshness: 'Current' };
  }

  private async whole(remote: RemoteGroupVersion, before: Whole | undefined): Promise<Whole> {
    const backend = this.aggregation.backendOf(remote);
    if ('error' in backend) return 'silent';
    const known = typeof before === 'object' ? before : undefined;
    const headers = { ...asMaster, Accept: aggregatedForms.join(','), ...(known?.tag === undefined ? {} : { 'If-None-Match': known.tag }) };
    const fetched = await fetchFrom(backend, '/apis', headers, await this.aggregation.connections());
    if (!fetched || fetched.status === 503) return 'silent';
    if (fetched.status === 304 && known) return known;
    const type = (fetched.headers['content-type'] ?? '').replace(/\s/g, '');
    if (fetched.status !== 200 || !aggregatedForms.some((form) => isForm(type, form))) return 'other';
    const list = readObject(fetched.body);
    return list ? { groupVersions: fromAggregated(list), tag: fetched.headers.etag } : 'silent';
  }

  /** In the former form, of this group version alone. */
  private async single(remote: RemoteGroupVersion): Promise<Discovered> {
    const backend = this.aggregation.backendOf(remote);
    if ('error' in backend) return nothing;
    const { group, version } = remote;
    const path = groupVersionPath(group, version);
    const fetched = await fetchFrom(backend, path, { ...asNobody, Accept: 'application/json' }, await this.aggregation.connections());
    const list = fetched?.status === 200 ? readObject(fetched.body) : undefined;
    const resources = list && fromResourceList(list);
    return resources ? { resources, freshness: 'Current' } : nothing;
  }
}

/** Whether a media type has the parameters of another, in whatever order. */
function isForm(type: string, form: string): boolean {
  const given = new Set(type.split(';'));
  return form.split(';').every((part) => given.has(part));
}
