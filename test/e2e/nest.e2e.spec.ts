import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './running-cluster';

const root = join(__dirname, '../..');
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');

/** A copy of the sources that may be edited. What `npm run build` makes is not in it. */
function workingCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-nest-'));
  for (const name of ['apps', 'libs', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.nest.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).map((path) => path.replaceAll('\\', '/'));
}

describe('nest', { timeout: 240_000 }, () => {
  let folder: string;
  let watching: ChildProcess | undefined;
  let output = '';
  beforeAll(() => (folder = workingCopy()));
  afterAll(async () => {
    const ended = watching && new Promise((resolve) => watching?.once('exit', resolve));
    // The whole group: nest runs the app in a shell, which does not pass a signal on.
    if (watching?.pid !== undefined) process.kill(-watching.pid, 'SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('build makes an app and what it uses, no tests among it, and it runs', async () => {
    await promisify(execFile)(process.execPath, [nest, 'build', 'scheduler'], { cwd: folder });
    const made = filesBelow(join(folder, 'dist'));
    expect(made).toContain('apps/scheduler/src/main.js');
    expect(made).toContain('libs/scheduling/src/index.js');
    expect(made.filter((path) => /\.(spec|fixture)\.|\/testing\//.test(path))).toEqual([]);
    const { KUBEREEL_EVENT_STORE: _, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, ['dist/apps/scheduler/src/main.js'], { cwd: folder, env });
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('KUBEREEL_EVENT_STORE is not set') as string });
  });

  it('start --watch runs what is in the editor: an app, and a library that it uses', async () => {
    const args = [nest, 'start', 'event-store', '--watch', '--', '--ephemeral', '--port', '0'];
    watching = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [watching.stdout, watching.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const said = (text: string): Promise<unknown> => eventually(`it says "${text}"`, () => output.includes(text), 180_000);

    await said('event store: esdb://');
    expect(existsSync(join(folder, 'dist/apps/event-store/src/proto/streams.proto'))).toBe(true);
    edit(join(folder, 'apps/event-store/src/main.ts'), (text) => text.replace('event store: $', 'edited store: $'));
    await said('edited store: esdb://');
    edit(join(folder, 'libs/event-log/src/index.ts'), (text) => `${text}\nprocess.stdout.write('the library was edited\\n');\n`);
    await said('the library was edited');
  });
});
