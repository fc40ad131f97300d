// Makes libs/kube-api/src/printing/columns.json, the columns of every resource as a real API server prints them, from recorded Tables.
//
//   node scripts/update-columns.mjs [--recorded DIR] [--check]
//
// --recorded  folder with tables/tables.jsonl and api/*.jsonl (default: the recordings that the tests read)
// --check     writes nothing; exit 1 when the file is not what would be written
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordingsFolder } from './recordings.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'libs/kube-api/src/printing/columns.json');
const { values: options } = parseArgs({ options: { recorded: { type: 'string' }, check: { type: 'boolean' } } });
const recorded = options.recorded ?? recordingsFolder();
/** Key of the columns that kinds have which name none: those of Role, which has none of its own. */
const plain = 'roles.rbac.authorization.k8s.io';

const path =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/(?=[a-z]))?(?<resource>[a-z]+)(?:\/[^/]+(?:\/(?<sub>[a-z]+))?)?$/;

/** `pods`, `deployments.apps`; of a scale subresource `scale`. */
function resourceOf(requestPath) {
  const { group, resource, sub } = path.exec(requestPath.split('?')[0])?.groups ?? {};
  if (sub !== undefined) return sub === 'scale' ? 'scale' : undefined;
  return resource && (group ? `${resource}.${group}` : resource);
}

const lines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function* recordedColumns() {
  for (const { path: requestPath, columns } of lines(join(recorded, 'tables/tables.jsonl'))) yield [resourceOf(requestPath), columns];
  for (const name of readdirSync(join(recorded, 'api'))
    .filter((file) => file.endsWith('.jsonl'))
    .sort()) {
    for (const { request, response } of lines(join(recorded, 'api', name))) {
      const columns = response?.body?.kind === 'Table' && response.body.columnDefinitions;
      // Of some sessions the descriptions were not kept.
      if (columns?.length > 0 && columns.every(({ description }) => description)) yield [resourceOf(request.path), columns];
    }
  }
}

/** Custom kinds have the columns of their definition, not of the release. */
const isOfRelease = (resource) => !resource.includes('.') || /\.k8s\.io$|\.(apps|batch|policy|autoscaling)$/.test(resource);

const found = new Map();
for (const [resource, columns] of recordedColumns()) {
  if (!resource || !isOfRelease(resource)) continue;
  const text = JSON.stringify(columns);
  const known = found.get(resource);
  if (known !== undefined && known !== text) throw new Error(`${resource} has other columns in another recording`);
  found.set(resource, text);
}
const plainColumns = found.get(plain);
const descriptions = [];
const indexOf = (text) => {
  if (!descriptions.includes(text)) descriptions.push(text);
  return descriptions.indexOf(text);
};
const columns = {};
for (const [resource, text] of [['*', plainColumns], ...[...found].sort(([a], [b]) => (a < b ? -1 : 1))]) {
  if (resource !== '*' && text === plainColumns) continue;
  columns[resource] = JSON.parse(text).map(({ name, type, format, description, priority }) => [
    name,
    type,
    format,
    priority,
    indexOf(description),
  ]);
}
const source =
  'Column definitions as a Kubernetes v1.34.4 API server prints them (recorded; upstream licence Apache-2.0). A column is [name, type, format, priority, index of its description]. Made by scripts/update-columns.mjs.';
// One resource a line, and one description: changes between releases stay readable.
const rows = (entries) => entries.map((entry) => `  ${entry}`).join(',\n');
const text = `{
 "source": ${JSON.stringify(source)},
 "descriptions": [
${rows(descriptions.map((description) => JSON.stringify(description)))}
 ],
 "columns": {
${rows(Object.entries(columns).map(([resource, list]) => `${JSON.stringify(resource)}: ${JSON.stringify(list)}`))}
 }
}
`;
const what = `columns of ${Object.keys(columns).length} resources`;
if (options.check) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error(`${target} differs from what ${recorded} gives; run scripts/update-columns.mjs`);
    process.exit(1);
  }
  console.log(`${what}: as recorded`);
} else {
  writeFileSync(target, text);
  console.log(`${target}: ${what}, ${text.length} bytes`);
}
