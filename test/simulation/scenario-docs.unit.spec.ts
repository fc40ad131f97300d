import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(__dirname, '../..');
const docs = readFileSync(join(root, 'docs/scenarios.md'), 'utf8');

/** Each yaml block with the file that it says it is from. */
function examples(): { file: string; lines: string[] }[] {
  return [...docs.matchAll(/From\s+`(scenarios\/[\w-]+\.yaml)`:\n\n```yaml\n([\s\S]*?)```/g)].map(([, file = '', text = '']) => ({
    file,
    lines: text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  }));
}

describe('docs/scenarios.md', () => {
  it('has its examples from the files that it names', () => {
    expect(examples().length).toBeGreaterThanOrEqual(8);
    expect(docs.match(/```yaml/g)).toHaveLength(examples().length);
    for (const { file, lines } of examples()) {
      const known = new Set(
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .map((line) => line.trim()),
      );
      expect(lines.filter((line) => !known.has(line))).toEqual([]);
    }
  });

  it('names every scenario', () => {
    for (const file of readdirSync(join(root, 'scenarios'))) expect(docs).toContain(`| \`${file}\` |`);
  });

  it('describes every action', () => {
    const actions = [
      ...readFileSync(join(root, 'apps/cli/src/scenario/read-step.ts'), 'utf8').matchAll(/^ {2}(\w+): \{$|^ {2}(\w+): \{ extras/gm),
    ].map(([, a, b]) => a ?? b);
    expect(actions.length).toBeGreaterThanOrEqual(10);
    const headings = [...docs.matchAll(/^### (.*)$/gm)].flatMap(([, heading = '']) => heading.split(', '));
    expect(headings.sort()).toEqual(actions.sort());
  });
});
