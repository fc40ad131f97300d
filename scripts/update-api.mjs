// Renews the tables of docs/api.md from the kinds that libs/kube-api knows. Reads the built code: run scripts/build.mjs before.
//
//   node scripts/update-api.mjs [--check]
//
// --check  writes nothing; exit 1 when the page is not what would be written
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apiParts } from './docs/api-tables.mjs';
import { withPart, writeOrCheck } from './docs/generated-page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const kinds = createRequire(import.meta.url)(join(root, 'dist/libs/kube-api/src/index.js'));
const page = join(root, 'docs/api.md');
let text = readFileSync(page, 'utf8');
for (const [name, part] of Object.entries(apiParts(kinds))) text = withPart(text, name, part);
const resources = kinds.releaseKinds.all;
const served = resources.filter((kind) => kind.served).length;
writeOrCheck(page, text, {
  check: values.check,
  command: 'npm run update:api',
  what: `${served} of ${resources.length} resources served`,
});
