import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** What scripts/bundle.mjs makes of a program. */
interface Bundle {
  start(): void;
  /** Loads what the program needs, and runs what a start runs. */
  rehearse(): Promise<void>;
}

const folder = join(__dirname, '..', '..', '..', 'bundle');

/**
 * Starts a program from its bundle: one file instead of a thousand, with the code that V8 made of it when it was built. Where there is no
 * bundle, or an old one, its own files are loaded; where the code is another V8's, or was made under other flags, the bundle is compiled.
 * @param main the file that the bundle was made of; it may export `run`, which starts the program
 */
export function startFromBundle(name: string, main: string): void {
  const file = join(folder, `${name}.js`);
  // What is newer than the bundle was compiled after it, by `nest build`.
  if (existsSync(file) && statSync(file).mtimeMs >= statSync(main).mtimeMs) evaluated(file).bundle.start();
  else (createRequire(__filename)(main) as { run?: () => void }).run?.();
}

/** Loads the program, rehearses it, keeps the code that V8 made of it (of what has run, above all), and ends the process. */
export async function compileBundle(name: string): Promise<never> {
  const file = join(folder, `${name}.js`);
  const { bundle, script } = evaluated(file, true);
  await bundle.rehearse();
  // Beside and renamed: a process that starts meanwhile reads the old code or the new.
  writeFileSync(`${file}.code.new`, script.createCachedData());
  renameSync(`${file}.code.new`, `${file}.code`);
  process.exit(0);
}

/** @param isCompiling code that is there is not used */
function evaluated(file: string, isCompiling = false): { bundle: Bundle; script: Script } {
  const code = `${file}.code`;
  const cachedData = !isCompiling && existsSync(code) ? readFileSync(code) : undefined;
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  const module = { exports: {} as Bundle };
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file));
  return { bundle: module.exports, script };
}
