import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { ConversionFailed, type ConversionCall, type Convert } from '../../conversion';
import type { WebhookForm } from '../../kinds/behaviour';
import { apiVersionOf, parseApiVersion } from '../../kinds/names';
import type { DefinitionConversion } from '../definition';
import { dropNulls, prune, setSchemaDefaults, type Schema } from '../schema';
import { ordered } from './ordered';

interface WebhookFormOf {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly schema: Schema;
  readonly conversion: DefinitionConversion;
  /** The version of objects that do not say theirs: they are from before the definition named a webhook. */
  readonly unsaid: string;
  readonly schemaOf: (version: string) => Schema | undefined;
}

/** How objects of a custom kind are shown in a version where a webhook of the definition converts them; each says which version it is in. */
export function webhookForm({ group, kind, version, schema, conversion, unsaid, schemaOf }: WebhookFormOf): WebhookForm {
  const apiVersion = apiVersionOf(group, version);
  const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
  const { url, service, caBundle } = clientConfig ?? {};
  const place = {
    ...(url ? { url } : {}),
    ...(service
      ? {
          service: {
            namespace: service.namespace,
            name: service.name,
            ...(service.path ? { path: service.path } : {}),
            ...(service.port ? { port: service.port } : {}),
          },
        }
      : {}),
    ...(caBundle ? { caBundle } : {}),
  };
  const callFor = (object: KubeObject): ConversionCall | undefined => {
    const given = object.apiVersion ?? apiVersion;
    if (given === apiVersion) return undefined;
    const from = parseApiVersion(given)?.version ?? '';
    const own = schemaOf(from);
    if (!own) throw new ConversionFailed(`request to convert CR from an invalid group/version: ${given}`);
    return {
      clientConfig: place,
      reviewVersions: conversionReviewVersions ?? [],
      from: { group, version: from, kind },
      desiredAPIVersion: apiVersion,
      object: { ...(ordered(bare(filled(own, object)) as unknown as Json) as JsonObject), kind, apiVersion: given },
    };
  };
  const converted = (object: KubeObject, { kind: _kind, ...shown }: JsonObject): KubeObject => {
    const { resourceVersion, managedFields } = object.metadata;
    const draft = ordered(shown) as JsonObject;
    prune(schema, draft);
    dropNulls(schema, draft);
    const metadata = { ...(draft['metadata'] as JsonObject), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    return { ...draft, apiVersion, metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) } } as unknown as KubeObject;
  };
  const pruned = (object: KubeObject): KubeObject => {
    const draft = ordered(object as unknown as Json) as JsonObject;
    prune(schema, draft);
    dropNulls(schema, draft);
    return draft as unknown as KubeObject;
  };
  const shownBy = (object: KubeObject, convert: Convert, here: (object: KubeObject) => KubeObject): KubeObject => {
    const call = callFor(object);
    return call ? converted(object, convert(call)) : here(object);
  };
  return {
    named: (object) => (object.apiVersion === undefined ? { ...object, apiVersion: apiVersionOf(group, unsaid) } : object),
    inVersion: (object) => (object.apiVersion === undefined ? { ...object, apiVersion } : object),
    callFor,
    converted,
    shown: (object, convert) => shownBy(object, convert, (own) => filled(schema, own)),
    stored: (object, convert) => shownBy(object, convert, pruned),
  };
}

/** As the store gives an object back: without what its version does not know, and with what that fills in. */
function filled(schema: Schema, object: KubeObject): KubeObject {
  const draft = ordered(object as unknown as Json) as JsonObject;
  prune(schema, draft);
  dropNulls(schema, draft);
  setSchemaDefaults(schema, draft);
  return draft as unknown as KubeObject;
}

/** As a webhook sees it: no version has been read with it yet, and owners are nobody's business. */
function bare(object: KubeObject): JsonObject {
  const { resourceVersion: _version, managedFields: _owners, ...metadata } = object.metadata;
  const { kind: _kind, ...rest } = object;
  return { ...rest, metadata: isObject(metadata) ? metadata : {} } as unknown as JsonObject;
}
