import type { KubeObject, ObjectMeta } from '#libs/kernel';
import { badRequest, goQuote } from '../status';
import type { Failure } from '../status';
import type { Cell, RowCondition, RowPrinter } from './cell';
import { columnsOf } from './columns';
import type { Column } from './columns';
import { scaleRow } from './scale-row';

/** How much of each object a row carries beside its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableRow {
  cells: Cell[];
  conditions?: RowCondition[];
  object: KubeObject | null;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** `meta.k8s.io/v1 Table`. */
export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: ListMeta;
  /** Null in every frame of a watch but the first. */
  columnDefinitions: readonly Column[] | null;
  rows: TableRow[];
}

export interface PrintOptions {
  /** ms since the epoch, for ages. */
  now: number;
  includeObject?: IncludeObject;
  /** Without: a frame of a watch after its first. */
  header?: boolean;
}

/** The `includeObject` query parameter; absent or empty is Metadata. */
export function readIncludeObject(text: string | undefined): IncludeObject | Failure {
  if (!text) return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  const problem = `includeObject: Invalid value: ${goQuote(text)}: must be 'Metadata', 'Object', 'None', or empty`;
  return badRequest(`Unable to convert to Table as requested: ${problem}`);
}

/** What is needed of a kind to print its objects. A ResourceKind is one. */
export interface PrintedKind {
  readonly columns: readonly Column[];
  readonly row: RowPrinter;
  /** Written into objects that are shown whole. */
  readonly kind: string;
  readonly apiVersion: string;
}

/** The scale subresource of any kind. */
export const scalePrinting: PrintedKind = {
  get columns() {
    return columnsOf('scale');
  },
  row: scaleRow,
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
};

/** Objects as a table, with the list's own metadata. */
export function printTable(kind: PrintedKind, objects: readonly KubeObject[], metadata: ListMeta, options: PrintOptions): Table {
  const { now, includeObject = 'Metadata', header = true } = options;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: header ? kind.columns : null,
    rows: objects.map((object) => ({ ...kind.row(object, now), object: shownObject(kind, object, includeObject) })),
  };
}

/** One object, or the object of a watch frame: a table of one row with the object's version. */
export function printObjectTable(kind: PrintedKind, object: KubeObject, options: PrintOptions): Table {
  const { resourceVersion } = object.metadata;
  return printTable(kind, [object], resourceVersion === undefined ? {} : { resourceVersion }, options);
}

function shownObject(kind: PrintedKind, object: KubeObject, includeObject: IncludeObject): KubeObject | null {
  if (includeObject === 'None') return null;
  if (includeObject === 'Metadata') return partialObject(object);
  if (object.kind && object.apiVersion) return object;
  const { kind: _kind, apiVersion: _version, ...rest } = object;
  return { kind: kind.kind, apiVersion: kind.apiVersion, ...rest } as KubeObject;
}

/** `PartialObjectMetadata`: what metadata-only clients ask for. */
export function partialObject(object: { metadata: ObjectMeta }): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

export interface PartialObjectMetadataList {
  kind: 'PartialObjectMetadataList';
  apiVersion: 'meta.k8s.io/v1';
  metadata: ListMeta;
  /** Null when empty: unlike other lists, this one is written so. */
  items: KubeObject[] | null;
}

export function partialObjectList(objects: readonly KubeObject[], metadata: ListMeta): PartialObjectMetadataList {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.length === 0 ? null : objects.map(partialObject),
  };
}
