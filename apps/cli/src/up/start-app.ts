import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Starts one app (its name is the argument) from its bundle: one file instead of a thousand, with the code that V8 made of it when it
 * was built. Where there is no bundle, the app's own files are loaded; where the code is another V8's, the bundle is compiled.
 * `--compile` loads the app without starting it, and keeps the code.
 */
/**
 * Seven processes that each run a few thousand times what one would run together spend a fifth of their time on optimising it: they
 * begin later with that than V8 does by itself (at 67,584). A V8 that does not know the flag ignores it.
 */
setFlagsFromString('--interrupt-budget=600000');

const [app = ''] = process.argv.splice(2, 1);
const bundle = join(__dirname, '..', '..', '..', '..', 'bundle', `${app}.js`);
const code = `${bundle}.code`;

interface Bundle {
  start(): void;
  load(): void;
}

function startFromBundle(): void {
  const isCompiling = process.argv[2] === '--compile';
  const cachedData = !isCompiling && existsSync(code) ? readFileSync(code) : undefined;
  const script = new Script(readFileSync(bundle, 'latin1'), { filename: bundle, cachedData });
  const module = { exports: {} as Bundle };
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  run(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  if (!isCompiling) return module.exports.start();
  module.exports.load();
  // Beside and renamed: a process that starts meanwhile reads the old code or the new.
  writeFileSync(`${code}.new`, script.createCachedData());
  renameSync(`${code}.new`, code);
  process.exit(0);
}

function startFromFiles(): void {
  const main = app === 'event-store' ? 'cli/src/event-store/store-process.js' : `${app}/src/main.js`;
  createRequire(__filename)(join(__dirname, '..', '..', '..', main));
}

if (existsSync(bundle)) startFromBundle();
else startFromFiles();
