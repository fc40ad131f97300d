import { derivedId } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { schemaData } from '../schema';
import { endpoints } from './endpoints';
import type { Endpoint } from './endpoints';
import { gnosticDocument } from './gnostic';
import { v2Document } from './v2';
import { documentPath, v3Document } from './v3';

/** Raised when what the documents say changes without a change of data or kinds: clients cache them by hash. */
const revision = 1;

export interface OpenApiDocument {
  /** JSON text, or protobuf. */
  readonly body: string | Uint8Array;
  /** For `?hash=` and the ETag: upper-case hex. */
  readonly hash: string;
}

/** The documents of what is served, each made at its first use and kept. */
export interface OpenApi {
  /** `GET /openapi/v3`: where each group version's document is; upstream sends it as text/plain. */
  v3Index(): string;
  /** `path` as in the index: `api/v1`, `apis/apps/v1`; undefined: 404. */
  v3(path: string): OpenApiDocument | undefined;
  /** `GET /openapi/v2` as JSON. */
  v2(): OpenApiDocument;
  /** `GET /openapi/v2` as `openapi.v2.Document`. */
  v2Protobuf(): OpenApiDocument;
}

/** What clients ask for and what they are answered. */
export const openApiV2ProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
export const openApiV2ProtobufAccepts: readonly string[] = [
  openApiV2ProtobufType,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
];

export function openApiOf(kinds: readonly ResourceKind[]): OpenApi {
  const groupVersions = [...new Map(kinds.map(({ group, version, apiVersion }) => [apiVersion, { group, version }])).values()];
  const shown = kinds.map((kind) => `${kind.apiVersion}/${kind.resource}`).join();
  const hashOf = (path: string): string =>
    derivedId(`openapi/${revision}/${schemaData.sha256}/${shown}/${path}`).replaceAll('-', '').toUpperCase();
  const kept = new Map<string, OpenApiDocument>();
  const keep = (path: string, make: () => string | Uint8Array): OpenApiDocument => {
    const known = kept.get(path);
    if (known) return known;
    const made = { body: make(), hash: hashOf(path) };
    kept.set(path, made);
    return made;
  };
  let all: Endpoint[] | undefined;
  const paths = (): Endpoint[] => (all ??= endpoints(kinds));
  return {
    v3Index: () =>
      JSON.stringify({
        paths: Object.fromEntries(
          groupVersions
            .map(({ group, version }) => documentPath(group, version))
            .sort()
            .map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path)}` }]),
        ),
      }),
    v3: (path) => {
      const wanted = groupVersions.find(({ group, version }) => documentPath(group, version) === path);
      if (!wanted) return undefined;
      const own = (): Endpoint[] => paths().filter(({ group, version }) => group === wanted.group && version === wanted.version);
      return keep(path, () => JSON.stringify(v3Document(own(), groupVersions)));
    },
    v2: () => keep('v2', () => JSON.stringify(v2Document(paths(), groupVersions))),
    v2Protobuf: () => keep('v2.protobuf', () => gnosticDocument(v2Document(paths(), groupVersions))),
  };
}
