// Makes docs/events.md from the event classes.
//
//   node scripts/update-events.mjs [--check]
//
// --check  writes nothing; exit 1 when the page is not what would be written
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventCatalogue } from './docs/event-catalogue.mjs';
import { writeOrCheck } from './docs/generated-page.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const { text, names } = eventCatalogue();
const page = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/events.md');
writeOrCheck(page, text, { check: values.check, command: 'npm run update:events', what: `${names.length} events` });
