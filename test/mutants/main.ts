// Makes every mutant and asks verify: prints what was found, and with --write puts the table into docs/verify.md. Exit 1 when one survives.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutants } from './catalogue';
import type { Verdict } from './mutant';
import { survey } from './survey';

const page = join(__dirname, '../../docs/verify.md');

async function main(): Promise<void> {
  const verdicts: Verdict[] = [];
  for (const mutant of mutants) {
    const verdict = await survey(mutant);
    verdicts.push(verdict);
    const { number, name } = mutant;
    process.stdout.write(`${verdict.isFound ? 'found   ' : 'SURVIVES'} ${String(number).padStart(2)} ${name}\n         ${verdict.text}\n`);
  }
  const alive = verdicts.filter(({ isFound }) => !isFound);
  process.stdout.write(`${verdicts.length - alive.length} of ${verdicts.length} mutants found\n`);
  if (process.argv.includes('--write')) await write(verdicts);
  process.exitCode = alive.length === 0 ? 0 : 1;
}

async function write(verdicts: readonly Verdict[]): Promise<void> {
  const { table, withPart } = await import('../../scripts/docs/generated-page.mjs');
  const text = table(['', 'What was done', 'Chains', 'verify'], rowsOf(verdicts));
  writeFileSync(page, withPart(readFileSync(page, 'utf8'), 'mutants', text));
}

function rowsOf(verdicts: readonly Verdict[]): string[][] {
  return verdicts.map(({ mutant, found, isFound }) => {
    const { number, name, rechain, edit, keptSeal } = mutant;
    const chains = edit === undefined ? 'whole' : rechain ? `made good${rechain === true ? '' : `, ${rechain}`}` : 'as they were';
    const seal = keptSeal ? ', with a kept seal' : '';
    return [String(number), name, chains, isFound ? `found${seal}: ${found.join(', ')}` : 'NOT FOUND'];
  });
}

void main();
