import { columnsOf, plainColumns } from '../printing/columns';
import { plainRow } from '../printing/cell';
import type { Definition, GroupVersionKind, ResourceFacts } from '../schema';
import { metadataFields } from '../selectors/kind-fields';
import { nameOnly } from '../validation/metadata';
import type { Defaulter, KindDescription } from './behaviour';
import { apiVersionOf, groupResourceOf } from './names';
import type { ResourceKind, Subresource } from './resource-kind';

/** How objects of a kind look; undefined where nobody says. */
export type SchemaLookup = (gvk: GroupVersionKind) => Definition | undefined;

const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean => a.kind === b.kind && a.group === b.group && a.version === b.version;

function subresourcesOf(facts: ResourceFacts, description: KindDescription, schemaOf: SchemaLookup): Subresource[] {
  return (facts.subresources ?? []).map(({ name, kind, verbs, group = facts.group, version = facts.version }) => {
    const gvk = { group, version, kind };
    return {
      ...gvk,
      name,
      verbs,
      served: !description.unservedSubresources?.includes(name),
      get schema() {
        return schemaOf(gvk);
      },
      form: sameKind(gvk, facts) ? description.form : undefined,
      unreadable: sameKind(gvk, facts) ? description.unreadable : undefined,
      setDefaults: sameKind(gvk, facts) ? defaultsOf(facts, description) : description.subresourceDefaults?.[name],
    };
  });
}

/** A version beside the stored one has its own, or none. */
function defaultsOf({ version }: ResourceFacts, { otherVersions, setDefaults }: KindDescription): Defaulter | undefined {
  const other = otherVersions?.[version];
  return other ? other.setDefaults : setDefaults;
}

/**
 * The entry of a kind: what discovery says of it, what it does, and how its objects look. Schemas are looked up when they are first asked
 * for: most kinds of a release are never used in a process.
 */
export function defineKind(facts: ResourceFacts, description: KindDescription, schemaOf: SchemaLookup): ResourceKind {
  const name = groupResourceOf(facts.group, facts.resource);
  const subresources = subresourcesOf(facts, description, schemaOf);
  const { storage = name, generation = 'none' } = description;
  const version = description.otherVersions?.[facts.version];
  const { group, kind } = facts;
  let schema: Definition | undefined;
  return {
    group,
    version: facts.version,
    kind,
    resource: facts.resource,
    singular: facts.singular,
    namespaced: facts.namespaced,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    verbs: facts.verbs,
    subresources,
    get storageVersionHash() {
      return facts.storageVersionHash;
    },
    discoveredVerbs: description.discoveredVerbs,
    refusesCreation: description.refusesCreation,
    form: description.form,
    get schema() {
      return (schema ??= schemaOf({ group, version: facts.version, kind }));
    },
    listKind: description.listKind ?? `${kind}List`,
    get listSchema() {
      return schemaOf({ group, version: facts.version, kind: `${kind}List` });
    },
    served: description.served ?? false,
    groupResource: name,
    apiVersion: apiVersionOf(group, facts.version),
    storage,
    conversion: version?.conversion ?? description.conversion,
    shown: description.shown,
    generation,
    managesGeneration: generation === 'managed' || generation === 'raised',
    hasStatus: subresources.some((sub) => sub.name === 'status'),
    deprecation: description.deprecation,
    createOnUpdate: description.createOnUpdate ?? false,
    allowUnconditionalUpdate: !description.conditionalUpdateOnly,
    deletionReturnsObject: description.deletionReturnsObject ?? false,
    gracefulDeletion: description.gracefulDeletion ?? false,
    dependants: description.dependants ?? 'collected',
    formerVersions: description.formerVersions ?? [],
    fields: description.fields ?? metadataFields,
    setDefaults: defaultsOf(facts, description),
    unreadable: description.unreadable,
    strategy: description.strategy ?? {},
    validation: description.validation ?? nameOnly,
    warn: description.warn,
    toldAnyway: description.toldAnyway,
    warnOfStatus: description.warnOfStatus,
    warnOfOrphans: description.warnOfOrphans,
    get columns() {
      // Rows that name and date their object have no other columns, whatever a real server prints.
      return description.columns ?? (description.row ? columnsOf(storage) : plainColumns());
    },
    row: description.row ?? plainRow,
    rowOrder: description.rowOrder,
  };
}
