import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderContents, makeDataFolder, undoOf, writeFirstIdentity, type ClusterIdentity } from './data-folder';

const identity = { cluster: 'local', seed: 's' } as ClusterIdentity;

describe('the data folder', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'kubereel-folder-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is made with all that is above it, and the topmost of them is told', () => {
    const folder = join(root, 'a', 'b', 'c');
    expect(makeDataFolder(folder)).toBe(join(root, 'a'));
    expect(existsSync(folder)).toBe(true);
    expect(makeDataFolder(folder)).toBeUndefined();
  });

  it('that nothing can be made in ends with a reason, at once', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeDataFolder(join(root, 'file', 'x'))).toThrow('a part of the path is a file (ENOTDIR)');
    expect(() => makeDataFolder('/proc/x/y')).toThrow('it is not there and cannot be made (ENOENT)');
  });

  it('is given its first identity by one start alone', () => {
    writeFirstIdentity(root, identity);
    expect(() => writeFirstIdentity(root, identity)).toThrow('another kubereel up has just begun a cluster');
  });

  it('of a start that failed keeps what was there before, and nothing of the cluster', () => {
    writeFileSync(join(root, 'mine.yaml'), '');
    mkdirSync(join(root, 'snapshots'));
    const undo = undoOf(root);
    for (const [name] of folderContents) if (!existsSync(join(root, name))) writeFileSync(join(root, name), '');
    undo();
    expect(readdirSync(root).sort()).toEqual(['mine.yaml', 'snapshots']);
  });
});
