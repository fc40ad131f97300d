import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeWhole } from './write-whole';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kubereel-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('puts a file in the place of another, its owner’s alone, with nothing left beside it', () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'old', { mode: 0o644 });
  writeWhole(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['file']);
});

it('leaves the file as it was when it cannot be written', () => {
  const path = join(folder, 'taken');
  mkdirSync(path);
  expect(() => writeWhole(path, 'new')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(['taken']);
  expect(() => writeWhole(join(folder, 'nowhere', 'file'), 'new')).toThrow('ENOENT');
});

it('of a sole writer: takes the place of what one that was killed has left behind', () => {
  const path = join(folder, 'file');
  writeFileSync(`${path}.new`, 'half', { mode: 0o644 });
  writeWhole(path, 'new', { soleWriter: true });
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path}.new`)).toBe(false);
});
