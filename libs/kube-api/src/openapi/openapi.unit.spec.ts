import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSubresourceServed, releaseKinds } from '../kinds';
import { ProtobufReader } from '../protobuf';
import { goldenPath, goldenPresent } from '../status/golden-sessions.fixture';
import { commonDescriptions, descriptions } from './descriptions';
import { endpoints } from './endpoints';
import { definitionOf } from '../schema';
import { openApiOf } from './openapi';

type Loose = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

const folder = goldenPath('openapi/v3');
const served = releaseKinds.all.filter((kind) => kind.served);
const openApi = openApiOf(served);
const document = (path: string): Loose => JSON.parse(openApi.v3(path)?.make() as string) as Loose;

describe('version 3', () => {
  it('lists a document for each served group version, and for what lies above them, by hash', () => {
    const { paths } = JSON.parse(openApi.v3Index()) as Loose;
    const versions = served.map(({ group, apiVersion }) => (group === '' ? `api/${apiVersion}` : `apis/${apiVersion}`));
    const groups = served.map(({ group }) => (group === '' ? 'api' : `apis/${group}`));
    const own = ['apis', 'version', 'openid/v1/jwks', '.well-known/openid-configuration'];
    expect(Object.keys(paths)).toEqual([...new Set([...versions, ...groups, ...own])].sort());
    for (const [path, { serverRelativeURL }] of Object.entries<Loose>(paths)) {
      expect(serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${openApi.v3(path)?.hash}`);
    }
    expect(openApi.v3('apis/example.com/v1')).toBeUndefined();
    expect(openApi.v3Protobuf('apis/example.com/v1')).toBeUndefined();
  });

  it('tells of every kind that PATCH knows fieldValidation and dryRun', () => {
    for (const kind of served.filter(({ verbs }) => verbs.includes('patch'))) {
      const { paths } = document(kind.group === '' ? 'api/v1' : `apis/${kind.apiVersion}`);
      const patches = Object.values<Loose>(paths)
        .map((item) => item['patch'])
        .filter((operation) => operation?.['x-kubernetes-group-version-kind'].kind === kind.kind);
      expect(patches.length, kind.kind).toBeGreaterThan(0);
      const names = patches[0].parameters.map((parameter: Loose) => parameter['name']);
      expect(names).toEqual(expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']));
    }
  });

  it('refers to nothing that is not there', () => {
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/policy/v1']) {
      const whole = document(path);
      const known = new Set(Object.keys(whole['components'].schemas).map((name) => `#/components/schemas/${name}`));
      for (const [, reference] of JSON.stringify(whole).matchAll(/"\$ref":"([^"]+)"/g)) expect(known).toContain(reference);
    }
  });

  describe.skipIf(!goldenPresent)('beside the recorded documents', () => {
    const names = goldenPresent ? readdirSync(folder) : [];
    it.each(names)('%s is the same but for its words', (name) => {
      const recorded = withoutWords(JSON.parse(readFileSync(resolve(folder, name), 'utf8'))) as Loose;
      const path = name
        .replace(/\.json$/, '')
        .replace(/^(apis?)_/, '$1/')
        .replace(/_(v\d+)$/, '/$1')
        .replace('openid_v1_jwks', 'openid/v1/jwks')
        .replace('.well-known_', '.well-known/');
      expect(withoutWords(document(path))).toEqual(recorded);
    });
  });

  it('has a path for every served subresource', () => {
    const paths = new Set(endpoints(served).map(({ path }) => path));
    for (const kind of served) {
      for (const { name } of kind.subresources) {
        const found = [...paths].some((path) => path.includes(`/${kind.resource}/{name}/${name}`));
        expect(found, `${kind.resource}/${name}`).toBe(isSubresourceServed(kind, name));
      }
    }
  });
});

/** Descriptions are ours: upstream's are not carried over. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== 'description' || typeof item !== 'string');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutWords(item)]));
}

describe('version 2', () => {
  it('says the same as JSON and as protobuf', () => {
    const swagger = JSON.parse(openApi.v2().make() as string) as Loose;
    expect(swagger['definitions']['io.k8s.api.core.v1.Container'].properties.env).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    const names = { paths: [] as string[], definitions: [] as string[] };
    const reader = new ProtobufReader(openApi.v2Protobuf().make() as Uint8Array);
    while (!reader.done) {
      const { number } = reader.tag();
      const part = reader.part();
      if (number === 1) expect(part.rest().toString()).toBe('2.0');
      if (number === 8 || number === 9) names[number === 8 ? 'paths' : 'definitions'].push(...namesIn(part));
    }
    expect(names.paths).toEqual(Object.keys(swagger['paths']));
    expect(names.definitions).toEqual(Object.keys(swagger['definitions']));
  });
});

/** Names of a message that is a list of named values. */
function namesIn(reader: ProtobufReader): string[] {
  const names: string[] = [];
  while (!reader.done) {
    reader.tag();
    const named = reader.part();
    named.tag();
    names.push(named.part().rest().toString());
  }
  return names;
}

describe('descriptions', () => {
  it('are of definitions and fields that exist', () => {
    for (const key of descriptions.keys()) {
      const [group, version, type, field] = key.split('.');
      const definition = definitionOf(`${group}.${version}.${type}`);
      expect(definition, key).toBeDefined();
      if (field) expect(definition?.byName.has(field), key).toBe(true);
    }
  });

  // What a user asks about first: the kind, its fields, and those of its spec and status.
  it.each([
    'core.v1.Pod',
    'core.v1.Node',
    'core.v1.Service',
    'core.v1.Namespace',
    'core.v1.ConfigMap',
    'core.v1.Secret',
    'apps.v1.Deployment',
    'apps.v1.ReplicaSet',
    'batch.v1.Job',
    'batch.v1.CronJob',
    'policy.v1.PodDisruptionBudget',
    'scheduling.v1.PriorityClass',
  ])('of %s tell its two upper levels', (name) => {
    const missing: string[] = [];
    const visit = (of: string): void => {
      for (const { name: field } of definitionOf(of)?.fields ?? []) {
        if (!descriptions.has(`${of}.${field}`) && !commonDescriptions.has(field)) missing.push(`${of}.${field}`);
      }
    };
    if (!descriptions.has(name)) missing.push(name);
    for (const level of [name, `${name}Spec`, `${name}Status`]) visit(level);
    expect(missing).toEqual([]);
  });
});
