// Holds the import boundaries, and the two habits no import shows: the pure core reads no clock and draws no chance of its own.
import { spawnSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const pureLibs = [
  'kernel',
  'validation',
  'events',
  'cluster-state',
  'kube-api',
  'scheduling',
  'audit',
  'kubelet',
  'controllers',
  'scheduler',
];
const hidden = /\b(Date\.now|Math\.random|setTimeout|setInterval|setImmediate|randomUUID|performance\.now)\b|new Date\(\)/;

async function* sources(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(path)) yield path;
  }
}

let failed = false;
for (const lib of pureLibs) {
  for await (const path of sources(join('libs', lib, 'src'))) {
    const lines = (await readFile(path, 'utf8')).split('\n');
    lines.forEach((line, index) => {
      const code = line.replace(/^\s*(\/?\*|\/\/).*/, '');
      if (!hidden.test(code)) return;
      failed = true;
      console.error(`${path}:${index + 1}: hidden time or chance in the pure core: ${line.trim()}`);
    });
  }
}
const cruise = spawnSync(
  process.execPath,
  ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', 'apps', 'libs'],
  { stdio: 'inherit' },
);
process.exit(failed || cruise.status !== 0 ? 1 : 0);
