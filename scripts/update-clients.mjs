// Makes the tables of docs/clients.md from the clients of test/clients.
//
//   node --conditions=source --require ./scripts/sources.cjs scripts/update-clients.mjs [--check]
//
// --check  writes nothing; exit 1 when the page is not what would be written
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientParts } from './docs/clients-page.mjs';
import { withPart, writeOrCheck } from './docs/generated-page.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const { clients } = createRequire(import.meta.url)('../test/clients/clients.ts');
const page = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/clients.md');
const text = Object.entries(clientParts(clients)).reduce((so, [name, part]) => withPart(so, name, part), readFileSync(page, 'utf8'));
writeOrCheck(page, text, { check: values.check, command: 'npm run update:clients', what: `${clients.length} clients` });
