import { createHash } from 'node:crypto';
import type { KubeObject } from '#libs/kernel';
import type { KindDescription } from '../../kinds/behaviour';
import { defineKind } from '../../kinds/define-kind';
import { apiVersionOf, groupResourceOf } from '../../kinds/names';
import type { ResourceKind } from '../../kinds/resource-kind';
import { compareVersions } from '../../kinds/version-order';
import { schemaOf, type ResourceFacts, type SubresourceFacts } from '../../schema';
import { fieldsOf, nameField, namespaceField, fieldText, type FieldLabel } from '../../selectors/kind-fields';
import type { ScalePaths } from '../../strategy/scale';
import {
  isConditionTrue,
  isEstablished,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionStatus,
  type DefinitionVersion,
} from '../definition';
import type { Schema } from '../schema';
import { customColumns, customRow } from './columns';
import { customForm } from './form';
import { jsonPath } from './json-path';
import { customStrategy } from './strategy';
import { customValidation, toleratedIn, warnOfCustom } from './validation';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

const known = new WeakMap<KubeObject, readonly ResourceKind[]>();

/**
 * The kinds that a definition brings: an entry for each version that is served, the preferred one first, and for the one that objects are stored in.
 * None before the kind is established. What is dear of them (schemas, rules) is made when it is first needed.
 */
export function kindsOfDefinition(definition: KubeObject): readonly ResourceKind[] {
  let kinds = known.get(definition);
  if (!kinds) known.set(definition, (kinds = isEstablished(definition) ? made(definition) : []));
  return kinds;
}

function made(definition: KubeObject): ResourceKind[] {
  const spec = definition.spec as DefinitionSpec;
  const names = (definition.status as DefinitionStatus).acceptedNames;
  const versions = [...(spec.versions ?? [])].sort((a, b) => compareVersions(a.name, b.name));
  return versions
    .filter(({ served, storage }) => served || storage)
    .map((version) => customKind(spec, names, version, isConditionTrue(definition, 'Terminating')));
}

function customKind(spec: DefinitionSpec, names: DefinitionNames, version: DefinitionVersion, isTerminating: boolean): ResourceKind {
  const { group } = spec;
  const { plural: resource, kind } = names;
  const { scale, status } = version.subresources ?? {};
  const hasStatus = status !== undefined && status !== null;
  const namespaced = spec.scope === 'Namespaced';
  const apiVersion = apiVersionOf(group, version.name);
  const schema = (version.schema?.openAPIV3Schema ?? {}) as Schema;
  const stored = spec.versions?.find(({ storage }) => storage)?.name ?? version.name;
  const otherSchema = (name: string): Schema | undefined =>
    spec.versions?.find((other) => other.name === name)?.schema?.openAPIV3Schema as Schema | undefined;
  const storedSchema = otherSchema(stored) ?? schema;
  const form = customForm({
    group,
    kind,
    listKind: names.listKind ?? `${kind}List`,
    version: version.name,
    isStored: version.storage,
    schema,
    storedSchema,
    otherSchema,
  });
  const paths: ScalePaths | undefined = scale ? { ...scale } : undefined;
  const subresources: SubresourceFacts[] = [];
  if (hasStatus) subresources.push({ name: 'status', kind, verbs: subresourceVerbs });
  if (paths) subresources.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: subresourceVerbs });
  const facts: ResourceFacts = {
    group,
    version: version.name,
    resource,
    singular: names.singular ?? '',
    kind,
    namespaced,
    verbs,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources,
    get storageVersionHash() {
      return storageVersionHash(group, stored, spec.names.kind);
    },
  };
  let columns: KindDescription['columns'];
  const own = version.additionalPrinterColumns ?? undefined;
  const description: KindDescription = {
    name: groupResourceOf(group, resource),
    served: version.served,
    form,
    listKind: names.listKind,
    // By hand, since it raises the generation by rules of its own.
    conditionalUpdateOnly: true,
    generation: 'fixed',
    deprecation: version.deprecated ? (version.deprecationWarning ?? deprecationOf(spec, names, version.name)) : undefined,
    discoveredVerbs: isTerminating ? verbs.filter((verb) => !['patch', 'create', 'update'].includes(verb)) : undefined,
    refusesCreation: isTerminating ? 'create not allowed while custom resource definition is terminating' : undefined,
    fields: fieldsOf(nameField, ...(namespaced ? [namespaceField] : []), ...selectable(version)),
    setDefaults: (draft) => form.setDefaults(draft),
    conversion: { toStorage: (object) => object, fromStorage: (object) => form.readBack(object) },
    strategy: customStrategy({ hasStatus, scale: paths }),
    validation: customValidation({ kind, apiVersion, namespaced, schema, scale: paths }),
    warn: warnOfCustom,
    toldAnyway: toleratedIn,
    warnOfStatus: (object, warnings) => warnOfCustom(object, object, warnings),
    get columns() {
      return (columns ??= customColumns(own));
    },
    row: customRow(own),
  };
  return defineKind(facts, description, (gvk) => (gvk.group === group ? undefined : schemaOf(gvk)));
}

function selectable({ selectableFields }: DefinitionVersion): FieldLabel[] {
  return (selectableFields ?? []).map(({ jsonPath: path }) => [
    path.replace(/^\./, ''),
    (object) => fieldText(jsonPath(path)?.(object as unknown as never)?.[0]),
  ]);
}

function deprecationOf(spec: DefinitionSpec, { kind }: DefinitionNames, version: string): string {
  const text = `${spec.group}/${version} ${kind} is deprecated`;
  const newer = (spec.versions ?? [])
    .filter(({ served, deprecated, name }) => served && !deprecated && compareVersions(name, version) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  return newer.length === 0 ? text : `${text}; use ${spec.group}/${newer[0]} ${kind}`;
}

/** By it clients see that objects have come to be stored in another version. */
function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
