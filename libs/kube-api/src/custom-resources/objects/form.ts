import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { plainNumbers, type Conversion } from '../../decode';
import type { RepeatedKeys } from '../../decode/repeated-keys';
import type { ObjectForm, WebhookForm } from '../../kinds/behaviour';
import { fieldErrorText } from '../../status/field-error';
import { goQuote } from '../../status/go-value';
import { dropNulls, prune, readEmbedded, readMetadata, setSchemaDefaults, type Schema } from '../schema';
import { applyTypeOf } from './apply-type';
import { documentsOf } from './documents';
import { knownOf } from './known-fields';
import { ordered } from './ordered';

interface FormOf {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly version: string;
  readonly isStored: boolean;
  readonly schema: Schema;
  /** Of the version that objects are stored in. */
  readonly storedSchema: Schema;
  /** The schema of another version; undefined: there is none of that name. */
  readonly otherSchema: (version: string) => Schema | undefined;
  readonly webhook?: WebhookForm;
}

const unknownKind: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** How objects of one version of a custom kind are read: by its schema, where other kinds have a definition. */
export function customForm(about: FormOf): ObjectForm {
  const { group, kind, listKind, version, isStored, schema, storedSchema, otherSchema, webhook } = about;
  let type: ObjectForm['applyType'] | undefined;
  let documents: ObjectForm['documents'] | undefined;
  return {
    isStored,
    webhook,
    read: (value, duplicates, named) => {
      const isOther = named !== undefined && (named.group !== group || named.kind !== kind);
      // What is not of the kind is not pruned; of another version nothing is known.
      if (isOther) return readObject(unknownKind, value, duplicates);
      return readObject(named && named.version !== version ? otherSchema(named.version) : schema, value, duplicates);
    },
    setDefaults: (draft) => setSchemaDefaults(schema, draft),
    readBack: (object) => readBack(storedSchema, schema, object),
    stored: (object) => (webhook ? webhook.stored(object) : stored(schema, object)),
    get documents() {
      return (documents ??= documentsOf({ group, version, kind, listKind, schema }));
    },
    get applyType() {
      return (type ??= applyTypeOf(schema, true));
    },
  };
}

/** A body as an object of the version; what is not known of it is dropped and told. */
function readObject(schema: Schema | undefined, value: JsonObject, duplicates: RepeatedKeys | undefined): Conversion {
  const repeated = duplicates ? repeatedFields(value, duplicates) : [];
  const draft = ordered(plainNumbers(value) as JsonObject) as JsonObject;
  const strict = [...repeated];
  if (draft['metadata'] !== undefined) {
    const read = readMetadata(draft['metadata'] as Json);
    if ('error' in read) return { object: {}, strict, error: read.error };
    draft['metadata'] = read.metadata;
    strict.push(...read.unknown.map((field) => unknownField(`metadata.${field}`)));
  } else draft['metadata'] = {};
  strict.push(...prune(schema, draft).map(unknownField));
  dropNulls(schema, draft);
  const embedded = readEmbedded(schema, draft);
  if (embedded.error) return { object: {}, strict, error: fieldErrorText(embedded.error) };
  strict.push(...embedded.unknown.map(unknownField));
  return { object: draft, strict };
}

const unknownField = (path: string): string => `unknown field ${goQuote(path)}`;

/**
 * An object of the store as a version has it today, whatever the schemas were when it was written. It is filled in as the version that it is
 * stored in says, and shown in another one without what that does not know.
 */
function readBack(storedSchema: Schema, schema: Schema, object: KubeObject): KubeObject {
  const draft = stored(storedSchema, object);
  setSchemaDefaults(storedSchema, draft as unknown as JsonObject);
  if (schema === storedSchema) return draft;
  prune(schema, draft as unknown as JsonObject);
  dropNulls(schema, draft as unknown as JsonObject);
  return draft;
}

/** As the version keeps it: what it is of goes without saying. */
function stored(schema: Schema, object: KubeObject): KubeObject {
  const { apiVersion: _version, ...unversioned } = knownOf(schema, object);
  return unversioned as KubeObject;
}

function repeatedFields(value: Json, duplicates: RepeatedKeys, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => repeatedFields(item, duplicates, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const own = [...(duplicates.get(value)?.keys() ?? [])].map((name) => `duplicate field ${goQuote(at(name))}`);
  return [...Object.keys(value).flatMap((name) => repeatedFields(value[name] as Json, duplicates, at(name))), ...own];
}
