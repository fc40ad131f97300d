import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** V8's own: a function is optimised after so much bytecode has run in it. */
const optimiseAt = 67_584;
/** So long as a process has used little time, functions are optimised later: a fifth of the first thousand pods' time went there. */
const optimiseLateAt = 600_000;
/** What a process has used, ms of processor time, when optimising pays: about what it costs by then. */
const busyAfterMs = 3_000;
const lookEveryMs = 1_000;

// Heaps grow in smaller steps, which spares 90 MB in all. A V8 that does not know a flag ignores it.
setFlagsFromString('--heap-growing-percent=40');
setFlagsFromString(`--interrupt-budget=${optimiseLateAt}`);
const looking = setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (user + system < busyAfterMs * 1_000) return;
  setFlagsFromString(`--interrupt-budget=${optimiseAt}`);
  clearInterval(looking);
}, lookEveryMs).unref();

const [app = ''] = process.argv.splice(2, 1);
const bundle = join(__dirname, '..', '..', '..', '..', 'bundle', `${app}.js`);
const code = `${bundle}.code`;
const main = join(__dirname, '..', '..', '..', app === 'event-store' ? 'cli/src/event-store/store-process.js' : `${app}/src/main.js`);

interface Bundle {
  start(): void;
  load(): void;
}

/**
 * Starts one app (its name is the argument) from its bundle: one file instead of a thousand, with the code that V8 made of it when it
 * was built. Where there is no bundle, or an old one, the app's own files are loaded; where the code is another V8's, the bundle is compiled.
 * `--compile` loads the app without starting it, and keeps the code.
 */
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

/** What is newer than the bundle was compiled after it, by `nest build`. */
function isBundled(): boolean {
  return existsSync(bundle) && statSync(bundle).mtimeMs >= statSync(main).mtimeMs;
}

if (isBundled()) startFromBundle();
else createRequire(__filename)(main);
