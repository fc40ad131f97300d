import { derivedId } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { schemaData } from '../schema';
import { ownDocuments, resourcesEndpoint } from './discovery-endpoints';
import { endpoints } from './endpoints';
import { gnosticDocument } from './gnostic';
import { gnosticDocumentV3 } from './gnostic-v3';
import type { Endpoint } from './operation';
import { v2Document } from './v2';
import { documentPath, v3Document } from './v3';
import type { DocumentV3 } from './v3';

/** Raised when what the documents say changes without a change of data or kinds: clients cache them by hash. */
const revision = 2;

export interface OpenApiDocument {
  /** JSON text, or protobuf: made at each call, so whoever answers with it keeps it. */
  readonly make: () => string | Uint8Array;
  /** For `?hash=` and the ETag: upper-case hex. */
  readonly hash: string;
}

/** The documents of what is served. */
export interface OpenApi {
  /** `GET /openapi/v3`: where each group version's document is; upstream sends it as text/plain. @param others where documents of other servers are */
  v3Index(others?: ReadonlyMap<string, string>): string;
  /** `path` as in the index: `api/v1`, `apis/apps/v1`; undefined: 404. */
  v3(path: string): OpenApiDocument | undefined;
  /** The same as `openapi.v3.Document`. */
  v3Protobuf(path: string): OpenApiDocument | undefined;
  /** `GET /openapi/v2` as JSON. */
  v2(): OpenApiDocument;
  /** `GET /openapi/v2` as `openapi.v2.Document`. */
  v2Protobuf(): OpenApiDocument;
}

/** What clients ask for and what they are answered. */
export const openApiV3ProtobufType = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
export const openApiV3ProtobufAccepts: readonly string[] = [
  openApiV3ProtobufType,
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
];
export const openApiV2ProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
export const openApiV2ProtobufAccepts: readonly string[] = [
  openApiV2ProtobufType,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
];

/** What documents of a kind follow from: of a custom kind they follow from its schema. */
function shownOf({ apiVersion, resource, form }: ResourceKind): string {
  return `${apiVersion}/${resource}${form ? JSON.stringify(form.documents.object.custom?.schema('v3')) : ''}`;
}

export function openApiOf(kinds: readonly ResourceKind[]): OpenApi {
  const groupVersions = [...new Map(kinds.map(({ group, version, apiVersion }) => [apiVersion, { group, version }])).values()];
  const shown = derivedId(kinds.map(shownOf).join());
  const hashOf = (path: string): string =>
    derivedId(`openapi/${revision}/${schemaData.sha256}/${shown}/${path}`).replaceAll('-', '').toUpperCase();
  const own = ownDocuments([...new Set(groupVersions.map(({ group }) => group))]);
  const places = new Map(groupVersions.map((place) => [documentPath(place.group, place.version), place]));
  let all: Endpoint[] | undefined;
  const ofKinds = (): Endpoint[] => (all ??= endpoints(kinds));
  const whole = (): Endpoint[] => [...own.values(), ...groupVersions.map(resourcesEndpoint), ...ofKinds()];
  const pathsAt = (path: string): Endpoint[] | undefined => {
    const single = own.get(path);
    if (single) return [single];
    const place = places.get(path);
    if (!place) return undefined;
    const { group, version } = place;
    return [resourcesEndpoint(place), ...ofKinds().filter((endpoint) => endpoint.group === group && endpoint.version === version)];
  };
  const document = (path: string, make: () => string | Uint8Array): OpenApiDocument => ({ hash: hashOf(path), make });
  const ofVersion3 = (path: string, write: (made: DocumentV3) => string | Uint8Array): OpenApiDocument | undefined =>
    own.has(path) || places.has(path) ? document(path, () => write(v3Document(pathsAt(path) ?? []))) : undefined;
  return {
    v3Index: (others = new Map()) => {
      const urls = new Map(others);
      for (const path of [...own.keys(), ...places.keys()]) urls.set(path, `/openapi/v3/${path}?hash=${hashOf(path)}`);
      const entries = [...urls.keys()].sort().map((path) => [path, { serverRelativeURL: urls.get(path) }]);
      return JSON.stringify({ paths: Object.fromEntries(entries) as object });
    },
    v3: (path) => ofVersion3(path, JSON.stringify),
    v3Protobuf: (path) => ofVersion3(path, gnosticDocumentV3),
    v2: () => document('v2', () => JSON.stringify(v2Document(whole()))),
    v2Protobuf: () => document('v2.protobuf', () => gnosticDocument(v2Document(whole()))),
  };
}
