import { isObject, type Json, type KubeObject } from '#libs/kernel';
import { formatDouble } from '#libs/cel';
import { ageOf } from '../../printing/age';
import { columnsOf, type Column } from '../../printing/columns';
import { nameOf, type Cell, type RowPrinter } from '../../printing/cell';
import type { PrinterColumn } from '../definition';
import { jsonPath } from './json-path';

const ofCreation: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: columnsOf('configmaps').find(({ name }) => name === 'Age')?.description,
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of a custom kind: the name, and those of its definition; where it says none, the age. */
export function customColumns(own: readonly PrinterColumn[] | undefined): readonly Column[] {
  const [name] = columnsOf('configmaps');
  return [name as Column, ...shown(own).map(columnFrom)];
}

/** Writes the cells of these columns. */
export function customRow(own: readonly PrinterColumn[] | undefined): RowPrinter {
  const columns = shown(own);
  return (object, now) => ({ cells: [nameOf(object), ...columns.map((column) => cellOf(column, object, now))] });
}

function shown(own: readonly PrinterColumn[] = []): readonly PrinterColumn[] {
  if (own.length === 0) return [ofCreation];
  // Behind a path that cannot be read nothing is shown.
  const unreadable = own.findIndex((column) => !jsonPath(column.jsonPath));
  return unreadable < 0 ? own : own.slice(0, unreadable);
}

function columnFrom({ name, type, format = '', description, priority = 0, jsonPath: path }: PrinterColumn): Column {
  const text = description ? description : `Custom resource definition column (in JSONPath format): ${path}`;
  return { name, type, format, description: text, priority };
}

function cellOf({ jsonPath: path, type }: PrinterColumn, object: KubeObject, now: number): Cell {
  const [value] = jsonPath(path)?.(object as unknown as Json) ?? [];
  if (value === undefined) return null;
  if (type === 'string') return printed(value);
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateOf(value, now) : null;
    default:
      return null;
  }
}

/** As Go prints it: lists and maps as JSON. */
function printed(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value) || isObject(value)) return JSON.stringify(value);
  return typeof value === 'number' && !Number.isInteger(value) ? formatDouble(value) : String(value);
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function dateOf(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  return time.test(text) && !Number.isNaN(Date.parse(text)) ? ageOf(text, now) : '<invalid>';
}
