import type { KubeObject } from '#libs/kernel';
import { ageOf } from './age';

export type Cell = string | number | boolean | null;

/** Marks rows that clients leave out on demand: pods that have ended. */
export interface RowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface Row {
  cells: Cell[];
  conditions?: RowCondition[];
}

/** Writes the cells of one kind. `now`: ms since the epoch, for ages. */
export type RowPrinter = (object: KubeObject, now: number) => Row;

/** Decoded JSON of a known kind. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export const none = '<none>';

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

export function age(object: KubeObject, now: number): string {
  return ageOf(object.metadata.creationTimestamp, now);
}

/** `a=1,b=2`: a plain map of labels, such as a node selector. */
export function labelText(labels: Record<string, string> | null | undefined): string {
  const texts = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return texts.sort().join(',') || none;
}

/** How many entries a map or list has; 0 where there is none. */
export function countOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** A row printer of a function that gives the cells in the order of the columns. */
export const rowOf =
  (cells: (object: KubeObject, now: number) => Cell[]): RowPrinter =>
  (object, now) => ({ cells: cells(object, now) });

/** Kinds without columns of their own: name and time of creation. */
export const plainRow = rowOf((object) => [nameOf(object), object.metadata.creationTimestamp ?? '']);
