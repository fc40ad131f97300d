import { createHash } from 'node:crypto';
import { groupVersionPath } from '#libs/kube-api';
import type { OpenApiDocument } from '#libs/kube-api/openapi';
import type { Aggregation } from './aggregation';
import { fetchFrom, readObject } from './fetch';
import { KeptAnswers } from './kept-answers';
import { mergedSwagger, type OtherSwagger, type Swagger } from './merged-swagger';
import { identityHeaders } from './passed-on';
import type { RemoteGroupVersion } from './remote-groups';

const asAggregator = identityHeaders({ name: 'system:aggregator', groups: [] });

/** By the path of a document below `/openapi/v3`, where it is to be had. */
export type SchemaPaths = ReadonlyMap<string, string>;

const none: SchemaPaths = new Map();

/** An OpenAPI v2 document of another server. */
interface KeptSwagger extends OtherSwagger {
  /** Of its text. */
  digest: string;
}

/** Which OpenAPI documents other servers have (upstream: the OpenAPI aggregators). */
export class RemoteSchemas {
  private readonly kept = new KeptAnswers<SchemaPaths>();
  private readonly swaggers = new KeptAnswers<KeptSwagger | undefined>();

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

  /** This server's OpenAPI v2 document with what others have below their group versions. */
  async merged(own: OpenApiDocument): Promise<OpenApiDocument> {
    const remotes = [...this.aggregation.groups.all.values()].filter(({ isAvailable, group }) => isAvailable && group !== '');
    remotes.sort((one, other) => other.groupPriority - one.groupPriority || (one.name < other.name ? -1 : 1));
    const found = await Promise.all(remotes.map((remote) => this.swagger(remote)));
    const others = found.filter((each) => each !== undefined);
    if (others.length === 0) return own;
    const hash = digestOf([own.hash, ...others.flatMap(({ prefix, digest }) => [prefix, digest])].join());
    return { hash, make: () => JSON.stringify(mergedSwagger(JSON.parse(String(own.make())) as Swagger, others)) };
  }

  private swagger(remote: RemoteGroupVersion): Promise<KeptSwagger | undefined> {
    return this.swaggers.get(remote.name, remote.said, (before) =>
      this.document<KeptSwagger | undefined>(remote, '/openapi/v2', { before, none: undefined }, (body) => {
        const document = readObject(body);
        return document && { document, prefix: `${groupVersionPath(remote.group, remote.version)}/`, digest: digestOf(body) };
      }),
    );
  }

  private of(remote: RemoteGroupVersion): Promise<SchemaPaths> {
    return this.kept.get(remote.name, remote.said, (before = none) =>
      this.document(remote, '/openapi/v3', { before, none }, (body) => pathsOf(readObject(body))),
    );
  }

  /** What another server has at a path. It is what it was `before` while the server does not answer, and `none` where it has nothing there. */
  private async document<T>(
    remote: RemoteGroupVersion,
    path: string,
    { before, none }: { before: T; none: T },
    read: (body: string) => T,
  ): Promise<T> {
    const backend = this.aggregation.backendOf(remote);
    // A simulated server has no schemas.
    if ('error' in backend || this.aggregation.isSimulated(remote)) return none;
    const headers = { ...asAggregator, Accept: 'application/json' };
    const fetched = await fetchFrom(backend, path, headers, await this.aggregation.connections());
    if (!fetched) return before;
    return fetched.status === 200 ? read(fetched.body) : none;
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

function digestOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').slice(0, 32).toUpperCase();
}
