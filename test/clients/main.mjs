// `npm run clients [-- NAME …]`: the tests of clients alone. Who is named runs, also where it would take too long for every run.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const known = readdirSync(here).flatMap((file) => (file.endsWith('.e2e.spec.ts') ? [file.replace('.e2e.spec.ts', '')] : []));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`there is no client ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
const files = (names.length > 0 ? names : known).map((name) => join(relative(root, here), `${name}.e2e.spec.ts`));
const { status } = spawnSync('npx', ['vitest', 'run', '--reporter=verbose', '--reporter=./scripts/closing-line-reporter.mjs', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, KUBEREEL_CLIENTS: names.join(',') },
});
process.exit(status ?? 1);
