import type { KubeObject } from '#libs/kernel';
import { apiVersionOf, tableColumns, tableRow, type ResourceKind } from '#libs/kube-api';
import { objectJson, partialJson, viewOf } from './object-json';
import type { ListMetadata, Presentation } from './representation';

/** What of an object goes with its row. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

const columnsJson = new Map<string, string>();

function columnsOf(kind: ResourceKind): string {
  let json = columnsJson.get(kind.groupResource);
  if (json === undefined) columnsJson.set(kind.groupResource, (json = JSON.stringify(tableColumns(kind.groupResource))));
  return json;
}

/** Objects as a `meta.k8s.io` Table. In a watch only the first frame names the columns. */
export function tableJson(
  kind: ResourceKind,
  objects: readonly KubeObject[],
  metadata: ListMetadata,
  presentation: Pick<Presentation, 'includeObject' | 'now'>,
  version: string,
  withColumns = true,
): string {
  const rows = objects.map((object) => rowJson(kind, object, presentation, version));
  const columns = withColumns ? columnsOf(kind) : 'null';
  const apiVersion = apiVersionOf('meta.k8s.io', version);
  return `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${columns},"rows":[${rows.join(',')}]}`;
}

function rowJson(kind: ResourceKind, object: KubeObject, { includeObject, now }: Pick<Presentation, 'includeObject' | 'now'>, version: string): string {
  const { cells, conditions } = tableRow(kind.groupResource, object, now);
  const more = conditions === undefined || conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`;
  return `{"cells":${JSON.stringify(cells)}${more},"object":${includedJson(kind, object, includeObject, version)}}`;
}

function includedJson(kind: ResourceKind, object: KubeObject, includeObject: IncludeObject, version: string): string {
  if (includeObject === 'None') return 'null';
  if (includeObject === 'Object') return objectJson(kind, object);
  return partialJson(viewOf(kind, object), version);
}
