import type { JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { FieldSet } from './field-set';
import { fromFieldsV1, toFieldsV1 } from './fields-v1';

/** An entry of `metadata.managedFields`, read. */
export interface ManagerEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  /** RFC 3339, whole seconds; absent: the entry has never changed anything. */
  readonly time?: string;
  readonly fields: FieldSet;
}

/** Entries by who they are of: of two that are of one the later one counts. */
export type Managers = Map<string, ManagerEntry>;

/** Who an entry is of. An applier is one in all versions, an updater is another one in each. */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<ManagerEntry, 'fields'>): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource ?? '']);
}

export function managersOf(entries: readonly ManagerEntry[]): Managers {
  return new Map(entries.map((entry) => [identityOf(entry), entry]));
}

/** By operation, time, manager, version, subresource. */
export function inOrder(entries: Iterable<ManagerEntry>): ManagerEntry[] {
  return [...entries].sort(
    (a, b) =>
      order(a.operation, b.operation) ||
      order(seconds(a.time), seconds(b.time)) ||
      order(a.manager, b.manager) ||
      order(a.apiVersion, b.apiVersion) ||
      order(a.subresource ?? '', b.subresource ?? ''),
  );
}

function order<T extends string | number>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000);
}

/** As the API shows it: keys in the order of the struct. */
export function showEntry({ manager, operation, apiVersion, time, fields, subresource }: ManagerEntry): JsonObject {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource ? { subresource } : {}),
  };
}

/** Entries as a client gives them; undefined where one is not in order: then none of them counts. */
export function readEntries(list: readonly unknown[]): ManagerEntry[] | undefined {
  const entries: ManagerEntry[] = [];
  for (const given of list) {
    const entry = isObject(given) ? readEntry(given) : undefined;
    if (!entry) return undefined;
    entries.push(entry);
  }
  return entries;
}

function readEntry(given: JsonObject): ManagerEntry | undefined {
  const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource } = given;
  if ((operation !== 'Apply' && operation !== 'Update') || typeof apiVersion !== 'string' || apiVersion === '') return undefined;
  if (fieldsType !== 'FieldsV1' || typeof manager !== 'string') return undefined;
  try {
    return {
      manager,
      operation,
      apiVersion,
      ...(typeof time === 'string' ? { time } : {}),
      fields: fromFieldsV1(isObject(fieldsV1) ? fieldsV1 : undefined),
      ...(typeof subresource === 'string' && subresource !== '' ? { subresource } : {}),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether two lists say the same; `time` may be left out of it. */
export function sameEntries(a: readonly ManagerEntry[], b: readonly ManagerEntry[], timeMatters: boolean): boolean {
  return (
    a.length === b.length &&
    a.every((entry, index) => {
      const other = b[index] as ManagerEntry;
      return (
        entry.apiVersion === other.apiVersion &&
        identityOf(entry) === identityOf(other) &&
        (!timeMatters || entry.time === other.time) &&
        entry.fields.equals(other.fields)
      );
    })
  );
}
