import type { KubeObject } from '#libs/kernel';
import { apiVersionOf, type IncludeObject, type ResourceKind } from '#libs/kube-api';
import { grouped, type ListText } from './list-text';
import { objectJson, partialJson, viewOf } from './object-json';
import type { ListMetadata, Presentation } from './presentation';

const columnsJson = new WeakMap<ResourceKind, string>();

function columnsJsonOf(kind: ResourceKind): string {
  let json = columnsJson.get(kind);
  if (json === undefined) columnsJson.set(kind, (json = JSON.stringify(kind.columns)));
  return json;
}

/** Objects as a `meta.k8s.io` Table. In a watch only the first frame names the columns. */
export function tableText(
  kind: ResourceKind,
  objects: readonly KubeObject[],
  metadata: ListMetadata,
  presentation: Pick<Presentation, 'includeObject' | 'now'>,
  version: string,
  withColumns = true,
): ListText {
  const shown = kind.rowOrder ? [...objects].sort(kind.rowOrder) : objects;
  const rows = grouped(shown, (object) => rowJson(kind, object, presentation, version));
  const columns = withColumns ? columnsJsonOf(kind) : 'null';
  const apiVersion = apiVersionOf('meta.k8s.io', version);
  const head = `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${columns},"rows":[`;
  return { head, items: rows, tail: ']}' };
}

function rowJson(
  kind: ResourceKind,
  object: KubeObject,
  { includeObject, now }: Pick<Presentation, 'includeObject' | 'now'>,
  version: string,
): string {
  const { cells, conditions } = kind.row(kind.form ? viewOf(kind, object) : object, now);
  const more = conditions === undefined || conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`;
  return `{"cells":${JSON.stringify(cells)}${more},"object":${includedJson(kind, object, includeObject, version)}}`;
}

function includedJson(kind: ResourceKind, object: KubeObject, includeObject: IncludeObject, version: string): string {
  if (includeObject === 'None') return 'null';
  if (includeObject === 'Object') return objectJson(kind, object);
  return partialJson(kind, object, version);
}
