import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const paths = [...page.matchAll(/`((?:libs|apps|test|docs|scripts)\/[\w./-]+)`/g)].map(([, path = '']) => path);
const commands = [...page.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name).filter((name) => !name.endsWith(':'));

describe('CONTRIBUTING.md', () => {
  // GROUP, KIND and the like stand for what the reader puts there.
  it.each(paths.filter((path) => !/[A-Z]{2}/.test(path)))('names %s, which is there', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });

  it.each(commands)('npm run %s is a script', (name) => {
    expect(Object.keys(scripts)).toContain(name);
  });
});
