import type { JsonObject, KubeObject } from '#libs/kernel';
import type { ClientConfig } from '../../admission/webhooks/configured';
import { ConversionFailed, type ConversionCall, type Convert } from '../../conversion';
import type { WebhookForm } from '../../kinds/behaviour';
import { apiVersionOf, parseApiVersion } from '../../kinds/names';
import type { DefinitionConversion, WebhookClientConfig } from '../definition';
import { setSchemaDefaults, type Schema } from '../schema';
import { knownOf } from './known-fields';
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
  readonly convert: Convert;
}

/** How objects of a custom kind are shown in a version where a webhook of the definition converts them; each says which version it is in. */
export function webhookForm({ group, kind, version, schema, conversion, unsaid, schemaOf, convert }: WebhookFormOf): WebhookForm {
  const apiVersion = apiVersionOf(group, version);
  const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
  const calledAt = withoutEmpty(clientConfig ?? {});
  const callFor = (object: KubeObject): ConversionCall | undefined => {
    const given = object.apiVersion ?? apiVersion;
    if (given === apiVersion) return undefined;
    const from = parseApiVersion(given)?.version ?? '';
    const own = schemaOf(from);
    if (!own) throw new ConversionFailed(`request to convert CR from an invalid group/version: ${given}`);
    return {
      clientConfig: calledAt,
      reviewVersions: conversionReviewVersions ?? [],
      from: { group, version: from, kind },
      desiredAPIVersion: apiVersion,
      object: { ...(ordered(bare(filled(own, object))) as JsonObject), kind, apiVersion: given },
    };
  };
  const converted = (object: KubeObject, { kind: _kind, ...answer }: JsonObject): KubeObject => {
    const { resourceVersion, managedFields } = object.metadata;
    const known = knownOf(schema, answer);
    const metadata = { ...known.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    return { ...known, apiVersion, metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) } };
  };
  const shownBy = (object: KubeObject, own: (schema: Schema, object: KubeObject) => KubeObject): KubeObject => {
    const call = callFor(object);
    return call ? converted(object, convert(call)) : own(schema, object);
  };
  return {
    named: (object) => (object.apiVersion === undefined ? { ...object, apiVersion: apiVersionOf(group, unsaid) } : object),
    inVersion: (object) => (object.apiVersion === undefined ? { ...object, apiVersion } : object),
    callFor,
    converted,
    shown: (object) => shownBy(object, filled),
    stored: (object) => shownBy(object, knownOf),
  };
}

/** Where a webhook is called, without what its definition leaves empty. */
function withoutEmpty({ url, service, caBundle }: WebhookClientConfig): ClientConfig {
  return {
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
}

/** As the store gives an object back: without what its version does not know, and with what that fills in. */
function filled(schema: Schema, object: KubeObject): KubeObject {
  const draft = knownOf(schema, object);
  setSchemaDefaults(schema, draft as unknown as JsonObject);
  return draft;
}

/** As a webhook sees it: no version has been read with it yet, and owners are nobody's business. */
function bare(object: KubeObject): JsonObject {
  const { resourceVersion: _version, managedFields: _owners, ...metadata } = object.metadata;
  const { kind: _kind, ...rest } = object;
  return { ...rest, metadata } as unknown as JsonObject;
}
