import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tour } from '../../apps/cli/src/tour/tour';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

it('the tour in README is what the tour prints; else run: npm run update:readme', async () => {
  const { tourExcerpt } = await import('../../scripts/docs/tour-excerpt.mjs');
  const { withPart } = await import('../../scripts/docs/generated-page.mjs');
  const lines: string[] = [];
  await tour((line) => void lines.push(...line.split('\n')));
  expect(withPart(readme, 'the tour', tourExcerpt(lines))).toBe(readme);
});

it('README has its reader type only what a clone has: npm, npx, kubectl', () => {
  const typed = [...readme.matchAll(/^```\n([\s\S]*?)^```/gm)]
    .map(([, block = '']) => block)
    .filter((block) => !block.startsWith('1. '))
    .flatMap((block) => block.trim().split('\n'));
  expect(typed.length).toBeGreaterThan(4);
  expect(typed.filter((line) => !/^(npm|npx|kubectl) /.test(line))).toEqual([]);
});
