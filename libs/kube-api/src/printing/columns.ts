import type { GroupResource } from '#libs/kernel';
import recorded from './columns.json';

export interface Column {
  name: string;
  type: string;
  format: string;
  description: string;
  /** 0 is always shown, 1 only on demand (`-o wide`). */
  priority: number;
}

type ColumnData = readonly [name: string, type: string, format: string, priority: number, description: number];
const data = recorded.columns as unknown as Record<string, readonly ColumnData[]>;

const read = new Map<string, readonly Column[]>();
/** Key of the columns of kinds that have none of their own. */
const plain = '*';

/**
 * The columns of a resource of the release (columns.json, made by scripts/update-columns.mjs); `scale` is that of the subresource. Kinds
 * without their own have name and time of creation.
 */
export function columnsOf(resource: GroupResource): readonly Column[] {
  const key = Object.hasOwn(data, resource) ? resource : plain;
  let columns = read.get(key);
  if (!columns) read.set(key, (columns = (data[key] ?? []).map(columnFrom)));
  return columns;
}

export function plainColumns(): readonly Column[] {
  return columnsOf(plain);
}

type OwnColumn = readonly [name: string, type: string, description: string];

/** Columns of which nothing is recorded: those of a kind behind the name that every kind has. Source: upstream's printers. */
export function columnsAfterName(...own: readonly OwnColumn[]): readonly Column[] {
  return [commonColumn('Name'), ...own.map(([name, type, description]) => ({ name, type, format: '', description, priority: 0 }))];
}

/** As `columnsAfterName`, with the age at the end, which most kinds have. */
export function columnsAround(...own: readonly OwnColumn[]): readonly Column[] {
  return [...columnsAfterName(...own), commonColumn('Age')];
}

function commonColumn(wanted: 'Name' | 'Age'): Column {
  return columnsOf('configmaps').find(({ name }) => name === wanted) as Column;
}

function columnFrom([name, type, format, priority, description]: ColumnData): Column {
  return { name, type, format, description: recorded.descriptions[description] ?? '', priority };
}
