import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(__dirname, '../../docs');
const root = join(docs, '..');
const page = readFileSync(join(docs, 'architecture.md'), 'utf8');
/** `[name](../path.ts)`: a symbol and the file that exports it. */
const symbols = [...page.matchAll(/\[(\w+)\]\((\.\.\/[^)]+\.ts)\)/g)].map(([, name = '', path = '']) => [name, path] as const);

function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, folder, entry.name, 'src')))
    .map(({ name }) => `${folder}/${name}`);
}

describe('docs/architecture.md', () => {
  it.each(symbols)('%s is exported by %s', (name, path) => {
    const text = readFileSync(resolve(docs, path), 'utf8');
    expect(text).toMatch(new RegExp(`^export (abstract |async )*(class|function|const|interface|type) ${name}\\b`, 'm'));
  });

  it('walks one pod through more than twenty of them', () => {
    expect(new Set(symbols.map(([name]) => name)).size).toBeGreaterThan(20);
  });

  it('has a line for every app and library, and for nothing else', () => {
    const listed = [...page.matchAll(/^\| `((?:apps|libs)\/[\w-]+)` \|/gm)].map(([, path = '']) => path);
    expect(listed.toSorted()).toEqual([...foldersIn('apps'), ...foldersIn('libs')].toSorted());
  });
});
