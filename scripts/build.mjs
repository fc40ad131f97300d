// Compiles apps and libs into dist/ in one SWC pass; data files are copied beside the code that reads them. What tests them stays outside.
// Types are checked apart (`npm run typecheck`): compiling stays under a second that way.
import { transform } from '@swc/core';
import { cp, mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile, chmod } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleApps } from './bundle.mjs';
import { swcOptions, withDirectGetters } from './swc-options.cjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
const sources = ['libs', 'apps'];
const copied = new Set(['.json', '.proto', '.html', '.css', '.yaml', '.txt', '.br', '.gz']);

async function* filesBelow(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') yield* filesBelow(path);
    } else yield path;
  }
}

const isBuilt = (path) => !/\.(spec|fixture|bench|d)\.ts$|\/src\/(testing|contract)\//.test(path);

/**
 * What is made has the time of what it was made from: anything else there (an older source put back, what `nest build` left) is made anew.
 */
async function upToDate(target, path) {
  const [made, source] = await Promise.all([stat(target).catch(() => undefined), stat(path)]);
  return made !== undefined && Math.abs(made.mtimeMs - source.mtimeMs) < 1;
}

async function made(target, path) {
  const { atime, mtime } = await stat(path);
  await utimes(target, atime, mtime);
  await withoutBundle();
  return target;
}

/** What is bundled of other files than these is not to be run; also when this build does not come to its end. */
async function withoutBundle() {
  await rm(join(out, 'bundle'), { recursive: true, force: true });
}

async function compile(path) {
  const target = join(out, path.slice(root.length + 1).replace(/\.ts$/, '.js'));
  if (await upToDate(target, path)) return target;
  const { code, map } = await transform(await readFile(path, 'utf8'), { ...swcOptions(path), sourceMaps: true });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, `${withDirectGetters(code)}\n//# sourceMappingURL=${target.split('/').pop()}.map\n`);
  await writeFile(`${target}.map`, map ?? '');
  return made(target, path);
}

async function copy(path) {
  const target = join(out, path.slice(root.length + 1));
  if (!(await upToDate(target, path))) {
    await mkdir(dirname(target), { recursive: true });
    await cp(path, target);
    await made(target, path);
  }
  return target;
}

const kept = new Set();
for (const folder of sources) {
  for await (const path of filesBelow(join(root, folder))) {
    if (!isBuilt(path)) continue;
    if (path.endsWith('.ts')) {
      const target = await compile(path);
      kept.add(target).add(`${target}.map`);
    } else if (copied.has(extname(path))) kept.add(await copy(path));
  }
}
for await (const path of filesBelow(out)) {
  if (kept.has(path) || path.startsWith(join(out, 'bundle'))) continue;
  await withoutBundle();
  await rm(path);
  for (let folder = dirname(path); (await readdir(folder)).length === 0; folder = dirname(folder)) await rmdir(folder);
}
await chmod(join(out, 'apps/cli/src/main.js'), 0o755).catch(() => undefined);
await bundleApps(out);
