import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderContents } from './data-folder';
import { closeToOthers } from './private-folder';

let folder = '';
const modeOf = (...names: string[]): string => (statSync(join(folder, ...names)).mode & 0o777).toString(8);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-private-'));
  mkdirSync(join(folder, 'log'));
  for (const name of ['kubereel.json', 'log/log.sqlite']) writeFileSync(join(folder, name), '');
  for (const name of ['', 'log', 'kubereel.json', 'log/log.sqlite']) chmodSync(join(folder, name), 0o775);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a data folder that others may read', () => {
  it('is closed, with all that is in it', () => {
    closeToOthers(folder);
    expect([modeOf(), modeOf('log'), modeOf('kubereel.json'), modeOf('log', 'log.sqlite')]).toEqual(['700', '700', '700', '700']);
  });

  it('is closed with whatever up keeps there, the files of --split among it', () => {
    for (const [name] of folderContents) if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), '', { mode: 0o644 });
    closeToOthers(folder);
    expect(['', ...folderContents.map(([name]) => name)].filter((name) => !modeOf(name).endsWith('00'))).toEqual([]);
  });

  it('stays open where it holds what is not ours, which is left alone', () => {
    writeFileSync(join(folder, 'notes.txt'), '');
    chmodSync(join(folder, 'notes.txt'), 0o644);
    closeToOthers(folder);
    expect([modeOf(), modeOf('notes.txt'), modeOf('log'), modeOf('kubereel.json')]).toEqual(['775', '644', '700', '700']);
  });
});
