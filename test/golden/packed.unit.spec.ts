import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(__dirname, '../..');
const beside = resolve(root, '../shared/golden');

/** Runs the command from a copy that has no recordings beside it. */
function runAlone(command: string[], env: NodeJS.ProcessEnv): { status: number | null; stdout: string } {
  const { KUBEREEL_GOLDEN: _, ...rest } = process.env;
  const { status, stdout } = spawnSync(process.execPath, command, { cwd: root, env: { ...rest, ...env }, encoding: 'utf8' });
  return { status, stdout };
}

describe('packed recordings', () => {
  it('are under 8 MB in all', () => {
    const folder = join(root, 'test/golden/packed');
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(8_000_000);
  });

  it('are unpacked, once, into a folder that says nothing else', () => {
    const script = `import { unpacked } from './scripts/recordings.mjs'; console.log(unpacked()); console.log(unpacked());`;
    const temporary = mkdtempSync(join(tmpdir(), 'kubereel-spec-'));
    const { status, stdout } = runAlone(['--input-type=module', '-e', script], { TMPDIR: temporary });
    expect(status).toBe(0);
    const [first, second] = stdout.trim().split('\n') as [string, string];
    expect(second).toBe(first);
    expect(readdirSync(temporary)).toHaveLength(1);
    const session = readFileSync(join(first, 'api/watch-basic.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(session[1] as string)).toHaveProperty('request');
  });

  it.runIf(existsSync(beside))('are those of ../shared/golden', () => {
    const { status, stdout } = runAlone(['scripts/recordings.mjs', 'check'], {});
    expect(stdout).toContain('bytes in all');
    expect(status).toBe(0);
  });
});
