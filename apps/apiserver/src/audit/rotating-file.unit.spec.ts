import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RotatingFile } from './rotating-file';

const start = Date.UTC(2026, 10, 20, 7, 32, 25, 334);
const day = 24 * 3_600_000;
let folder: string;
let now: number;
let troubles: (string | undefined)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  now = start;
  troubles = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(
  bounds: { bytesMax?: number; backupsMax?: number; ageDaysMax?: number } = {},
  path = join(folder, 'audit.log'),
): RotatingFile {
  const options = { path, bytesMax: 10, backupsMax: 0, ageDaysMax: 0, ...bounds };
  return new RotatingFile(
    options,
    () => now,
    (trouble) => troubles.push(trouble?.message),
  );
}

const content = (name: string): string => readFileSync(join(folder, name), 'utf8');

it('is there for its owner alone, in a folder that is made for it', () => {
  const path = join(folder, 'logs', 'audit.log');
  open({}, path).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
});

it('goes on where it was, and puts a full file aside under the time of that', () => {
  writeFileSync(join(folder, 'audit.log'), 'one\n');
  const file = open();
  file.write('two\n');
  file.write('three\n');
  file.write('fourfourfourfour\n');
  file.write('five\n');
  file.close();
  expect(readdirSync(folder).sort()).toEqual([
    'audit-2026-11-20T07-32-25.334.log',
    'audit-2026-11-20T07-32-25.335.log',
    'audit-2026-11-20T07-32-25.336.log',
    'audit.log',
  ]);
  expect(content('audit-2026-11-20T07-32-25.334.log')).toBe('one\ntwo\n');
  expect(content('audit-2026-11-20T07-32-25.335.log')).toBe('three\n');
  expect(content('audit-2026-11-20T07-32-25.336.log')).toBe('fourfourfourfour\n');
  expect(content('audit.log')).toBe('five\n');
  expect(statSync(join(folder, 'audit.log')).mode & 0o777).toBe(statSync(join(folder, 'audit-2026-11-20T07-32-25.334.log')).mode & 0o777);
});

it('keeps so many files, and none that is older than it may be', () => {
  const file = open({ backupsMax: 2, ageDaysMax: 3 });
  for (const line of ['one', 'two', 'three', 'four']) {
    file.write(`${line} is long\n`);
    now += day;
  }
  expect(readdirSync(folder).sort()).toEqual(['audit-2026-11-22T07-32-25.334.log', 'audit-2026-11-23T07-32-25.334.log', 'audit.log']);
  file.close();
  now += 2 * day;
  writeFileSync(join(folder, 'audit-of-the-books.log'), '');
  open({ backupsMax: 2, ageDaysMax: 3 }).close();
  expect(readdirSync(folder).sort()).toEqual(['audit-2026-11-23T07-32-25.334.log', 'audit-of-the-books.log', 'audit.log']);
});

it('loses what cannot be written, tells of it once, and goes on when it can be', () => {
  const file = open();
  file.write('one is long\n');
  rmSync(folder, { recursive: true });
  file.write('two\n');
  file.write('three\n');
  expect(troubles).toEqual([expect.stringContaining('ENOENT')]);
  mkdirSync(folder);
  file.write('four\n');
  file.close();
  expect(troubles).toHaveLength(2);
  expect(troubles[1]).toBeUndefined();
  expect(content('audit.log')).toBe('four\n');
});

// Every write to this device fails for want of room.
it.runIf(process.platform === 'linux')('outlives a full disk', () => {
  const file = open({ bytesMax: 1_000 }, '/dev/full');
  file.write('one\n');
  file.write('two\n');
  file.close();
  expect(troubles).toEqual([expect.stringContaining('ENOSPC')]);
});
