// Makes libs/kube-api/data/<minor>.json, the compact facts about every kind of one Kubernetes release, from data recorded from
// a running API server: its /openapi/v3 documents, aggregated discovery and protobuf field numbers.
//
//   node scripts/update-schemas.mjs [--recorded DIR] [--go DIR] [--check]
//
// --recorded  folder with openapi/v3/*.json, openapi/discovery-*.json, protobuf-fields.json (default: ../shared/golden/api, $KUBEREEL_GOLDEN/api)
// --go        folder holding the k8s.io Go modules (api@v0.34.4, apimachinery@v0.34.4, …): order of fields, pointers, names of
//             types. Without it these facts are taken over from the present file.
// --check     writes nothing; exit 1 when the file is not what would be written
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { goStructs } from './schemas/go-structs.mjs';
import { fieldLine, isScalar, shortName, typeOf } from './schemas/notation.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const release = 'v1.34.4';
const target = join(root, 'libs/kube-api/data/v1.34.json');
const { values: options } = parseArgs({ options: { recorded: { type: 'string' }, go: { type: 'string' }, check: { type: 'boolean' } } });
const recorded = options.recorded ?? join(process.env.KUBEREEL_GOLDEN ?? join(root, '../shared/golden'), 'api');

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

async function readOpenApi(folder) {
  const definitions = new Map();
  const digest = createHash('sha256');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort(byName);
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    digest.update(text);
    for (const [key, schema] of Object.entries(JSON.parse(text).components?.schemas ?? {})) definitions.set(key, schema);
  }
  return { definitions, documents: names.length, sha256: digest.digest('hex') };
}

/** Places of a message's fields: a field of an embedded message is `2.1`, number 1 inside number 2. */
function protobufPlaces(messages, message, schema, prefix = '', places = new Map()) {
  for (const [number, name, type, mode] of messages[message] ?? []) {
    const property = schema.properties?.[name];
    if (!property && messages[type]) protobufPlaces(messages, type, schema, `${prefix}${number}.`, places);
    else if (property)
      places.set(name, { number: `${prefix}${number}`, wrapped: mode?.startsWith('map') && typeOf(property).startsWith('map[][]') });
  }
  return places;
}

/** Struct facts out of the present file, for a run without the Go modules. */
function keptStructs(present) {
  return async (definition) =>
    present.definitions[definition]?.map((line) => {
      const [name, , ...words] = line.split(' ');
      return { json: name, kept: words.filter((word) => word === 'pointer' || word === 'always' || word.startsWith('go=')) };
    });
}

const flagOrder = ['#', 'required', 'pointer', 'always', 'go='];
const rank = (word) => flagOrder.findIndex((flag) => word.startsWith(flag));

function lineOf(name, schema, required, struct, place) {
  if (!struct?.kept) return fieldLine(name, schema, required, struct, place);
  const known = { pointer: struct.kept.includes('pointer'), omitEmpty: !struct.kept.includes('always'), goType: undefined };
  const [head, type, ...words] = fieldLine(name, schema, required, known, place)
    .split(' ')
    .filter((word) => word !== 'pointer' && word !== 'always' && !word.startsWith('go='));
  const at = words.findLastIndex((word) => word.startsWith('#') || word === 'required') + 1;
  words.splice(at, 0, ...struct.kept.sort((a, b) => rank(a) - rank(b)));
  return [head, type, ...words].join(' ');
}

async function definitionLines(openApiName, schema, protobuf, structsOf) {
  const name = shortName(openApiName);
  const structs = (await structsOf(name)) ?? [];
  const order = new Map(structs.map((struct, index) => [struct.json, { struct, index }]));
  const places = protobufPlaces(protobuf.messages, name, schema);
  const properties = Object.keys(schema.properties ?? {});
  const unknown = properties.filter((property) => !order.has(property));
  if (unknown.length > 0) console.warn(`${name}: no struct facts for ${unknown.join(', ')}`);
  properties.sort((a, b) => (order.get(a)?.index ?? 999) - (order.get(b)?.index ?? 999) || byName(a, b));
  const required = new Set(schema.required);
  return properties.map((property) =>
    lineOf(property, schema.properties[property], required.has(property), order.get(property)?.struct, places.get(property)),
  );
}

/** The version in which objects of a resource are stored; its hash is in the discovery documents. */
function storageVersionHash(group, version, kind) {
  const elsewhere = {
    'events.k8s.io/Event': '/v1',
    'autoscaling/HorizontalPodAutoscaler': 'autoscaling/v2',
    'apiextensions.k8s.io/CustomResourceDefinition': 'apiextensions.k8s.io/v1beta1',
  };
  const stored = elsewhere[`${group}/${kind}`];
  return createHash('sha256')
    .update(`${stored ?? `${group}/${version}`}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

function subresourceFacts(list, group, version) {
  return list?.map(({ subresource, responseKind, verbs }) => ({
    name: subresource,
    kind: responseKind.kind,
    ...(responseKind.group || (responseKind.version && responseKind.version !== version)
      ? { group: responseKind.group, version: responseKind.version }
      : {}),
    verbs,
  }));
}

async function readResources(folder) {
  const resources = [];
  for (const file of ['discovery-api.json', 'discovery-apis.json']) {
    for (const item of JSON.parse(await readFile(join(folder, file), 'utf8')).items) {
      const group = item.metadata.name ?? '';
      for (const { version, resources: list } of item.versions) {
        for (const entry of list) {
          const { kind } = entry.responseKind;
          const stored = entry.verbs.includes('watch');
          resources.push({
            group,
            version,
            resource: entry.resource,
            singular: entry.singularResource,
            kind,
            namespaced: entry.scope === 'Namespaced',
            verbs: entry.verbs,
            shortNames: entry.shortNames,
            categories: entry.categories,
            storageVersionHash: stored ? storageVersionHash(group, version, kind) : undefined,
            subresources: subresourceFacts(entry.subresources, group, version),
          });
        }
      }
    }
  }
  return resources;
}

async function build() {
  const openApi = await readOpenApi(join(recorded, 'openapi/v3'));
  const protobufText = await readFile(join(recorded, 'protobuf-fields.json'), 'utf8');
  const protobuf = JSON.parse(protobufText);
  const structsOf = options.go
    ? goStructs(options.go, release.replace('v1', 'v0'))
    : keptStructs(JSON.parse(await readFile(target, 'utf8')));
  const definitions = {};
  const openApiNames = {};
  const kinds = {};
  const atomic = [];
  for (const [openApiName, schema] of [...openApi.definitions].sort(([a], [b]) => byName(a, b))) {
    if (isScalar(openApiName)) continue;
    const name = shortName(openApiName);
    definitions[name] = await definitionLines(openApiName, schema, protobuf, structsOf);
    if (openApiName !== `io.k8s.api.${name}`) openApiNames[name] = openApiName;
    if (schema['x-kubernetes-map-type'] === 'atomic') atomic.push(name);
    const gvks = schema['x-kubernetes-group-version-kind'] ?? [];
    if (gvks.length > 1) kinds[`*/${gvks[0].kind}`] = name;
    else for (const { group, version, kind } of gvks) kinds[`${group ? `${group}/` : ''}${version}/${kind}`] = name;
  }
  const facts = { openApiNames, atomic, kinds, resources: await readResources(join(recorded, 'openapi')), definitions };
  const sources = {
    openApi: { documents: openApi.documents, sha256: openApi.sha256 },
    protobuf: { release: protobuf.release, sha256: sha256(protobufText) },
    structs: `k8s.io Go modules ${release.replace('v1', 'v0')}`,
  };
  return { release, sources, sha256: sha256(JSON.stringify(facts)), ...facts };
}

const data = await build();
// One definition a line: small, and changes between releases stay readable.
const text = `${JSON.stringify(data, null, 0).replace(/("[\w.]+":\["|"(?:definitions|resources|kinds|openApiNames|atomic)":|\{"group")/g, '\n$1')}\n`;
if (options.check) {
  if ((await readFile(target, 'utf8')) !== text) {
    console.error(`${target} differs from what ${recorded} gives; run scripts/update-schemas.mjs`);
    process.exit(1);
  }
  console.log(`${Object.keys(data.definitions).length} definitions, ${data.resources.length} resources: as recorded`);
} else {
  await writeFile(target, text);
  console.log(`${target}: ${Object.keys(data.definitions).length} definitions, ${data.resources.length} resources, ${text.length} bytes`);
}
