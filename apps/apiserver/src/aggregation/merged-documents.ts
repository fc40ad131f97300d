import type { ResourceTable } from '#libs/cluster-state';
import { objectKey } from '#libs/kernel';
import type { KindCatalogue } from '#libs/kube-api';
import { documentsFor, localDocuments, type DiscoveryDocuments } from '../discovery/discovery';
import type { Aggregation } from './aggregation';
import { mergedDiscovery } from './merged-discovery';
import { RemoteDiscovery, type Discovered } from './remote-discovery';
import type { RemoteGroupVersion } from './remote-groups';

export interface Wanted {
  kinds: KindCatalogue;
  /** Of APIServices. */
  table: ResourceTable;
  remotes: readonly RemoteGroupVersion[];
  /** Whether other servers are asked what they have; else their group versions are named, no more. */
  asks: boolean;
}

/** Discovery of all servers, made anew where something in it has changed. */
export class MergedDocuments {
  private readonly remote: RemoteDiscovery;
  private last: { causes: readonly unknown[]; documents: DiscoveryDocuments } | undefined;

  constructor(aggregation: Aggregation) {
    this.remote = new RemoteDiscovery(aggregation);
  }

  async of({ kinds, table, remotes, asks }: Wanted): Promise<DiscoveryDocuments> {
    const found = asks ? await Promise.all(remotes.map((remote) => this.remote.of(remote))) : [];
    const discovered = new Map<RemoteGroupVersion, Discovered>();
    for (const [index, each] of found.entries()) discovered.set(remotes[index] as RemoteGroupVersion, each);
    const make = (): DiscoveryDocuments =>
      documentsFor(
        mergedDiscovery({
          local: localDocuments(kinds).discovery,
          remotes,
          find: (name) => table.get(objectKey(undefined, name)),
          discovered: (remote) => discovered.get(remote),
        }),
      );
    if (!asks) return make();
    const causes = [kinds, kinds.version, table, table.changes, ...found.flatMap(({ resources, freshness }) => [resources, freshness])];
    const { last } = this;
    if (last && last.causes.length === causes.length && causes.every((cause, index) => cause === last.causes[index])) return last.documents;
    this.last = { causes, documents: make() };
    return this.last.documents;
  }
}
