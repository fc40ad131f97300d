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

const columns = new Map<string, readonly Column[]>(
  Object.entries(data).map(([resource, list]) => [
    resource,
    list.map(([name, type, format, priority, description]) => ({
      name,
      type,
      format,
      description: recorded.descriptions[description] ?? '',
      priority,
    })),
  ]),
);

const byDefault = columns.get('*') ?? [];

/** The columns of a resource of the release; `scale` is that of the subresource. Kinds without their own have name and time of creation. */
export function columnsOf(resource: GroupResource): readonly Column[] {
  return columns.get(resource) ?? byDefault;
}
