import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { decodeObject } from '../../decode';
import { applyDefaults } from '../../defaults';
import { releaseKinds } from '../../kinds/release';
import { fieldErrorText } from '../../status';
import { beginDeletion, prepareForCreate, prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate, warningsOf } from '../../validation';

const now = Date.parse('2026-01-01T00:00:00Z');
const kind = releaseKinds.kindOf('customresourcedefinitions.apiextensions.k8s.io');

interface Parts {
  spec?: JsonObject;
  names?: JsonObject;
  version?: JsonObject;
  metadata?: JsonObject;
}

/** A definition of gizmos with this schema of `spec.x`, as it is sent. */
function sent(x: Json, { spec = {}, names = {}, version = {}, metadata = {} }: Parts = {}): JsonObject {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x } } } };
  return {
    metadata: { name: 'gizmos.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gizmos', kind: 'Gizmo', ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...spec,
    },
  };
}

function decoded(object: JsonObject): KubeObject {
  const body = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, ...object });
  const read = decodeObject(kind, body);
  if (!read.ok) throw new Error(read.status.message);
  return read.object;
}

const created = (object: JsonObject): KubeObject => prepareForCreate(kind, applyDefaults(kind, decoded(object)), { now, uid: 'u' });

/** What is wrong with a new definition, without the path to `spec.x`. */
function errorsOf(x: Json, parts?: Parts): string[] {
  const texts = validateCreate(kind, created(sent(x, parts))).map(fieldErrorText);
  return texts.map((text) => text.replace('spec.validation.openAPIV3Schema.properties[spec].properties[x]', 'x'));
}

/** What is wrong with the update of an established definition. */
function updateErrors(x: Json, parts: Parts, before: Parts = {}): string[] {
  const old = created(sent(x, before));
  const conditions = [{ type: 'Established', status: 'True' }];
  const established = { ...old, status: { ...old.status, conditions } } as KubeObject;
  const updated = prepareForUpdate(kind, applyDefaults(kind, decoded(sent(x, parts))), established);
  return validateUpdate(kind, updated, established).map(fieldErrorText);
}

describe('a definition of a custom kind', () => {
  it('is given the names that follow from its kind, a conversion, and its storage version', () => {
    expect(created(sent({ type: 'string' }))).toMatchObject({
      metadata: { generation: 1 },
      spec: { names: { singular: 'gizmo', listKind: 'GizmoList' }, conversion: { strategy: 'None' } },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    });
  });

  it('is named after its plural and group, and has a group with a dot', () => {
    expect(errorsOf({ type: 'string' }, { metadata: { name: 'gizmos' } })).toEqual([
      'metadata.name: Invalid value: "gizmos": must be spec.names.plural+"."+spec.group',
    ]);
    expect(errorsOf({ type: 'string' }, { metadata: { name: 'gizmos.toys' }, spec: { group: 'toys' } })).toEqual([
      'spec.group: Invalid value: "toys": should be a domain with at least one dot',
    ]);
  });

  it('reads schemas within schemas as it reads the outer one', () => {
    const items = { type: 'string', unknown: 1, maxLength: 3 };
    const { spec } = decoded(sent({ type: 'array', items, default: { b: 1, a: 2 } }));
    const x = (spec as JsonObject)['versions'] as JsonObject[];
    const schema = ((x[0] as JsonObject)['schema'] as JsonObject)['openAPIV3Schema'] as {
      properties: { spec: { properties: { x: JsonObject } } };
    };
    const read = schema.properties.spec.properties.x;
    expect(read['items']).toEqual({ type: 'string', maxLength: 3 });
    expect(Object.keys(read['default'] as object)).toEqual(['a', 'b']);
    expect(() => decoded(sent({ type: 'array', items: { type: ['string'] } }))).toThrow(
      'json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties.items of type string',
    );
    expect(() => decoded(sent({ type: 'object', additionalProperties: 'yes' }))).toThrow('boolean or JSON schema expected');
  });

  it('has a storage version, and versions of different names', () => {
    const version = { name: 'v1', served: true, storage: false };
    const quoted =
      '{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}';
    const schema = { openAPIV3Schema: { type: 'object' } };
    expect(
      errorsOf(
        {},
        {
          spec: {
            versions: [
              { ...version, schema },
              { ...version, schema },
            ],
          },
        },
      ),
    ).toEqual([
      `spec.versions: Invalid value: [${quoted},${quoted}]: must contain unique version names`,
      `spec.versions: Invalid value: [${quoted},${quoted}]: must have exactly one version marked as storage version`,
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ]);
  });
});

describe('a schema', () => {
  it('tells the form of every value', () => {
    expect(errorsOf({})).toEqual(['x.type: Required value: must not be empty for specified object fields']);
    expect(errorsOf({ type: 'array' })).toEqual(['x.items: Required value: must be specified']);
    expect(errorsOf({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] })).toEqual([]);
    const openAPIV3Schema = { type: 'object', properties: {}, anyOf: [{ properties: { a: { minLength: 1 } } }] };
    expect(errorsOf({}, { version: { schema: { openAPIV3Schema } } })).toEqual([
      'spec.validation.openAPIV3Schema.properties[a]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[a]',
    ]);
    expect(errorsOf({ type: 'string', allOf: [{ type: 'string', title: 'a' }] })).toEqual([
      'x.allOf[0].title: Forbidden: must be empty to be structural',
      'x.allOf[0].type: Forbidden: must be empty to be structural',
    ]);
  });

  it('says only what is supported', () => {
    expect(errorsOf({ type: 'array', items: { type: 'string' }, uniqueItems: true })).toEqual([
      'x.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ]);
    expect(errorsOf({ type: 'object', patternProperties: { '^a': { type: 'string' } } })).toEqual([
      'x.patternProperties: Forbidden: patternProperties is not supported',
    ]);
    expect(errorsOf({ type: 'string', pattern: '(' })).toEqual([
      'x.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ]);
  });

  it('has keys for lists of type map, which are always there', () => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    expect(errorsOf({ ...list, items: { type: 'object', properties: { name: { type: 'string' } } } })).toEqual([
      'x.items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ]);
    expect(errorsOf({ ...list, items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } })).toEqual([]);
  });

  it('has defaults that fit it', () => {
    expect(errorsOf({ type: 'integer', default: 'a' })).toEqual([
      'x.default: Invalid value: "string":  in body must be of type integer: "string"',
    ]);
    expect(errorsOf({ type: 'string', maxLength: 1, default: 'ab' })).toEqual(['x.default: Too long: may not be more than 1 byte']);
    expect(errorsOf({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } })).toEqual([
      'x.default: Invalid value: {"b":1}: must not have unknown fields',
    ]);
  });

  it('has rules that compile and are not too dear', () => {
    const rule = (text: string): Json => ({ 'x-kubernetes-validations': [{ rule: text }] });
    expect(errorsOf({ type: 'string', ...(rule('self.size() > 1') as object) })).toEqual([]);
    expect(errorsOf({ type: 'string', ...(rule('self') as object) })).toEqual([
      'x.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ]);
    const dear = errorsOf({
      type: 'array',
      items: { type: 'array', items: { type: 'string', ...(rule("self.contains('a')") as object) } },
    });
    expect(dear).toEqual([
      expect.stringMatching(/^x\.items\.items\.x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost exceeds budget/),
      expect.stringMatching(/^x\.items\.items\.x-kubernetes-validations\[0\]\.rule: Forbidden: contributed to estimated rule cost/),
      expect.stringMatching(/^spec\.validation\.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total/),
    ]);
    const set = { type: 'array', items: { type: 'integer', ...(rule('self > oldSelf') as object) } };
    expect(errorsOf(set)).toEqual([
      'x.items.x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[x]',
    ]);
  });

  it('warns of formats that nobody checks, once they are there', () => {
    const warnings = (definition: KubeObject, old?: KubeObject): string[] => warningsOf(kind, definition, old) as string[];
    const strange = created(sent({ type: 'string', format: 'k8s-short-name' }));
    expect(warnings(strange)).toEqual(['unrecognized format "k8s-short-name"']);
    expect(warnings(strange, strange)).toEqual([]);
    expect(warnings(created(sent({ type: 'string', format: 'date-time' })))).toEqual([]);
  });
});

describe('what is beside the schema of a version', () => {
  const string = { type: 'string' };
  it('selectable fields lead to simple values', () => {
    const selectable = (...paths: string[]): string[] =>
      errorsOf(string, { version: { selectableFields: paths.map((jsonPath) => ({ jsonPath })) } });
    expect(selectable('.spec.x')).toEqual([]);
    expect(selectable('.spec.y', 'spec', ".spec['x']", '.spec')).toEqual([
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.y": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[1].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec[\'x\']": is an invalid path: array notation is not allowed',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ]);
  });

  it('a scale has paths below spec and status', () => {
    const scale = { specReplicasPath: '.status.n', statusReplicasPath: '' };
    expect(errorsOf(string, { version: { subresources: { scale } } })).toEqual([
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
    ]);
  });

  it('a conversion by webhook says where it is asked', () => {
    expect(errorsOf(string, { spec: { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v9'] } } } })).toEqual([
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ]);
  });
});

describe('an update of a definition', () => {
  const string = { type: 'string' };
  it('changes neither scope nor kind once it is established', () => {
    expect(updateErrors(string, { spec: { scope: 'Cluster' }, names: { kind: 'Gadget' } })).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]);
  });

  it('keeps the versions that objects are stored in', () => {
    expect(updateErrors(string, { version: { name: 'v2' } })).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });
});

describe('the deletion of a definition', () => {
  it('marks it and puts a finalizer on it, whatever was asked for', () => {
    const { outcome, object } = beginDeletion(kind, created(sent({ type: 'string' })), { propagationPolicy: 'Orphan' }, now);
    expect(outcome).toBe('mark');
    expect(object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      generation: 1,
    });
    expect(object.status.conditions).toMatchObject([{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' }]);
    const again = beginDeletion(kind, object, {}, now + 1000).object.metadata;
    expect(again).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
  });
});
