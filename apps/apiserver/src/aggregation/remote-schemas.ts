import type { Aggregation } from './aggregation';
import { fetchFrom, readObject } from './fetch';
import { KeptAnswers } from './kept-answers';
import { identityHeaders } from './passed-on';
import type { RemoteGroupVersion } from './remote-groups';

const asAggregator = identityHeaders({ name: 'system:aggregator', groups: [] });

/** By the path of a document below `/openapi/v3`, where it is to be had. */
export type SchemaPaths = ReadonlyMap<string, string>;

const none: SchemaPaths = new Map();

/** Which OpenAPI documents other servers have (upstream: the OpenAPI v3 aggregator). */
export class RemoteSchemas {
  private readonly kept = new KeptAnswers<SchemaPaths>();

  constructor(private readonly aggregation: Aggregation) {}

  /** Documents of all other servers; one that several have is the first's. */
  async all(): Promise<Map<string, { url: string; remote: RemoteGroupVersion }>> {
    const remotes = [...this.aggregation.groups.all.values()].filter(({ isAvailable }) => isAvailable);
    const found = await Promise.all(remotes.map((remote) => this.of(remote)));
    const documents = new Map<string, { url: string; remote: RemoteGroupVersion }>();
    for (const [index, paths] of found.entries())
      for (const [path, url] of paths) if (!documents.has(path)) documents.set(path, { url, remote: remotes[index] as RemoteGroupVersion });
    return documents;
  }

  private of(remote: RemoteGroupVersion): Promise<SchemaPaths> {
    return this.kept.get(remote.name, remote.said, async (before = none) => {
      const backend = this.aggregation.backendOf(remote);
      if ('error' in backend) return none;
      const fetched = await fetchFrom(
        backend,
        '/openapi/v3',
        { ...asAggregator, Accept: 'application/json' },
        this.aggregation.connections,
      );
      if (!fetched) return before;
      return fetched.status === 200 ? pathsOf(readObject(fetched.body)) : none;
    });
  }
}

function pathsOf(index: Record<string, unknown> | undefined): SchemaPaths {
  const { paths } = index ?? {};
  if (typeof paths !== 'object' || paths === null) return none;
  const found = new Map<string, string>();
  for (const [path, said] of Object.entries(paths)) {
    const { serverRelativeURL: url } = (said ?? {}) as { serverRelativeURL?: unknown };
    if (typeof url === 'string' && url.startsWith('/')) found.set(path, url);
  }
  return found;
}
