import { createHash } from 'node:crypto';
import type { KubeObject } from '#libs/kernel';
import { convertNothing, type Convert } from '../../conversion';
import type { KindConversion, KindDescription, ObjectForm } from '../../kinds/behaviour';
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
import { webhookForm } from './webhook-form';
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
  if (!kinds) known.set(definition, (kinds = isEstablished(definition) ? made(definition, convertNothing) : []));
  return kinds;
}

/** The same kinds, converting as they are told to: for one write, which asks for conversions it does not know. */
export function kindsConverting(definition: KubeObject, convert: Convert): readonly ResourceKind[] {
  return isEstablished(definition) ? made(definition, convert) : [];
}

function made(definition: KubeObject, convert: Convert): ResourceKind[] {
  const spec = definition.spec as DefinitionSpec;
  const versions = [...(spec.versions ?? [])].sort((a, b) => compareVersions(a.name, b.name));
  return versions.filter(({ served, storage }) => served || storage).map((version) => customKind(definition, version, convert));
}

function formOf(definition: KubeObject, version: DefinitionVersion, schema: Schema, convert: Convert): ObjectForm {
  const { group, conversion, versions } = definition.spec as DefinitionSpec;
  const { acceptedNames, storedVersions } = definition.status as DefinitionStatus;
  const { kind, listKind = `${kind}List` } = acceptedNames;
  const { name, storage: isStored } = version;
  const otherSchema = (other: string): Schema | undefined =>
    versions?.find((each) => each.name === other)?.schema?.openAPIV3Schema as Schema | undefined;
  const schemaOfVersion = (other: string): Schema | undefined =>
    versions?.some((each) => each.name === other) ? (otherSchema(other) ?? {}) : undefined;
  const stored = storedVersion(definition, version);
  const unsaid = storedVersions?.[0] ?? stored;
  const webhook =
    conversion?.strategy === 'Webhook'
      ? webhookForm({ group, kind, version: name, schema, conversion, unsaid, schemaOf: schemaOfVersion, convert })
      : undefined;
  const storedSchema = otherSchema(stored) ?? schema;
  return customForm({ group, kind, listKind, version: name, isStored, schema, storedSchema, otherSchema, webhook });
}

function storedVersion({ spec }: KubeObject, version: DefinitionVersion): string {
  return (spec as DefinitionSpec).versions?.find(({ storage }) => storage)?.name ?? version.name;
}

function customKind(definition: KubeObject, version: DefinitionVersion, convert: Convert): ResourceKind {
  const spec = definition.spec as DefinitionSpec;
  const { acceptedNames: names } = definition.status as DefinitionStatus;
  const isTerminating = isConditionTrue(definition, 'Terminating');
  const { group } = spec;
  const { plural: resource, kind } = names;
  const { scale, status } = version.subresources ?? {};
  const hasStatus = status !== undefined && status !== null;
  const namespaced = spec.scope === 'Namespaced';
  const apiVersion = apiVersionOf(group, version.name);
  const schema = (version.schema?.openAPIV3Schema ?? {}) as Schema;
  const form = formOf(definition, version, schema, convert);
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
      return storageVersionHash(group, storedVersion(definition, version), spec.names.kind);
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
    conversion: conversionOf(form),
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

function conversionOf(form: ObjectForm): KindConversion {
  const { webhook } = form;
  if (!webhook) return { toStorage: (object) => object, fromStorage: (object) => form.readBack(object) };
  return { toStorage: (object) => webhook.inVersion(object), fromStorage: (object) => webhook.shown(object) };
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
