import { GenerationCache, type JsonObject, type KubeObject } from '#libs/kernel';
import type { FieldSet } from './field-set';
import { fieldsText, fromFieldsV1 } from './fields-v1';
import { readEntries, type ManagerEntry } from './managers';
import { ownersAfter, type OwnerChange } from './owner-rules';

/** An entry with its fields as JSON text: an object of a thousand versions or of a thousand likenesses keeps each text once. */
type KeptEntry = Omit<ManagerEntry, 'fields'> & { readonly fields: string };

/** Sets that were written or read lately, each with its text; one takes about 4 KB. Objects that are alike share theirs. */
const setsMax = 256;
const setsByText = new GenerationCache<string, FieldSet>(setsMax);
const textsBySet = new WeakMap<FieldSet, string>();

function textOf(set: FieldSet): string {
  let text = textsBySet.get(set);
  if (text === undefined) {
    text = fieldsText(set);
    const known = setsByText.get(text);
    if (known) text = textsBySet.get(known) as string;
    else setsByText.set(text, set);
    textsBySet.set(set, text);
  }
  return text;
}

function setOf(text: string): FieldSet {
  let set = setsByText.get(text);
  if (!set) {
    set = fromFieldsV1(JSON.parse(text) as JsonObject);
    setsByText.set(text, set);
    textsBySet.set(set, text);
  }
  return set;
}

/** Changes that wait to be looked at; beyond it they are looked at, so that no long past of an object is held on to. */
const waitingMax = 12;

/**
 * Who owns which fields of one version of an object: what was known of an earlier version and the changes since, until somebody asks; from
 * then on what came of it. It stands as `metadata.managedFields` of the object, and is written out as that. Whoever compares objects field by
 * field sees nothing inside it.
 */
export class FieldOwners {
  #kept: readonly KeptEntry[] | undefined;
  #change: OwnerChange | undefined;
  #waiting: number;

  private constructor(entries: readonly ManagerEntry[] | undefined, change?: OwnerChange) {
    this.#waiting = 0;
    if (entries) this.#kept = keptOf(entries);
    else {
      this.#change = change;
      const before = change?.before?.metadata.managedFields;
      this.#waiting = before instanceof FieldOwners ? before.#waiting + 1 : 1;
      if (this.#waiting > waitingMax) this.entries();
    }
  }

  static of(entries: readonly ManagerEntry[]): FieldOwners {
    return new FieldOwners(entries);
  }

  static after(change: OwnerChange): FieldOwners {
    return new FieldOwners(undefined, change);
  }

  get managers(): ManagerEntry[] {
    return this.entries().map(({ fields, ...entry }) => ({ ...entry, fields: setOf(fields) }));
  }

  get isEmpty(): boolean {
    return this.entries().length === 0;
  }

  /** As JSON text; empty where nobody owns anything. */
  get json(): string {
    return jsonOf(this.entries());
  }

  /** What `JSON.stringify` writes. */
  toJSON(): JsonObject[] | undefined {
    return this.isEmpty ? undefined : (JSON.parse(this.json) as JsonObject[]);
  }

  private entries(): readonly KeptEntry[] {
    if (this.#kept) return this.#kept;
    // From the last version that is known: a long chain is no deep recursion.
    const chain: FieldOwners[] = [this];
    for (let older = this.previous; older && !older.#kept; older = older.previous) chain.push(older);
    for (const owners of chain.reverse()) owners.settle();
    return this.#kept as unknown as readonly KeptEntry[];
  }

  /** Of the version before the change that waits. */
  private get previous(): FieldOwners | undefined {
    const before: unknown = this.#change?.before?.metadata.managedFields;
    return before instanceof FieldOwners ? before : undefined;
  }

  private settle(): void {
    const change = this.#change as OwnerChange;
    const before = change.before ? entriesOf(change.before) : [];
    this.#kept = keptOf(ownersAfter(before, change));
    this.#change = undefined;
    this.#waiting = 0;
  }
}

function keptOf(entries: readonly ManagerEntry[]): KeptEntry[] {
  return entries.map(({ fields, ...entry }) => ({ ...entry, fields: textOf(fields) }));
}

function jsonOf(entries: readonly KeptEntry[]): string {
  if (entries.length === 0) return '';
  const texts = entries.map(({ manager, operation, apiVersion, time, fields, subresource }) => {
    const by = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
    const when = time === undefined ? '' : `,"time":${JSON.stringify(time)}`;
    const through = subresource ? `,"subresource":${JSON.stringify(subresource)}` : '';
    const what = `"operation":"${operation}","apiVersion":${JSON.stringify(apiVersion)}`;
    return `{${by}${what}${when},"fieldsType":"FieldsV1","fieldsV1":${fields}${through}}`;
  });
  return `[${texts.join(',')}]`;
}

/** Who owns the fields of an object, in order. */
export function entriesOf({ metadata: { managedFields } }: KubeObject): ManagerEntry[] {
  if (managedFields instanceof FieldOwners) return managedFields.managers;
  return Array.isArray(managedFields) ? (readEntries(managedFields) ?? []) : [];
}

export function withOwners(object: KubeObject, owners: FieldOwners | undefined): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: owners ? { ...metadata, managedFields: owners } : metadata } as KubeObject;
}
