// Renews README's excerpt of the tour from what the tour prints. Reads the built code: run scripts/build.mjs before.
//
//   node scripts/update-readme.mjs [--check]
//
// --check  writes nothing; exit 1 when README is not what would be written
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withPart, writeOrCheck } from './docs/generated-page.mjs';
import { tourExcerpt } from './docs/tour-excerpt.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const { tour } = createRequire(import.meta.url)(join(root, 'dist/apps/cli/src/tour/tour.js'));
const lines = [];
await tour((line) => lines.push(line));
const page = join(root, 'README.md');
const text = withPart(readFileSync(page, 'utf8'), 'the tour', tourExcerpt(lines));
writeOrCheck(page, text, { check: values.check, command: 'npm run update:readme', what: `${lines.length} lines of the tour` });
