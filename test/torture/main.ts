// `npm run torture -- [--rounds N] [--clients N] [--seed N] [--split] [--keep]`: the long runs of the torture tests.
import { parseArgs } from 'node:util';
import { tortureWholeWrites } from './whole-writes';

/** Problems printed of one run. */
const shownMax = 20;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '2000' },
      clients: { type: 'string', default: '8' },
      seed: { type: 'string', default: '20261120' },
      split: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const flags = values.split ? ['--split'] : [];
  const report = await tortureWholeWrites({
    rounds: Number(values.rounds),
    clients: Number(values.clients),
    seed: Number(values.seed),
    flags,
    keep: values.keep,
  });
  console.log(`${report.operations} requests: ${JSON.stringify(report.answers)}`);
  for (const problem of report.problems.slice(0, shownMax)) console.log(`  ${problem}`);
  if (report.problems.length > shownMax) console.log(`  … and ${report.problems.length - shownMax} more`);
  console.log(report.verified.split('\n').slice(-12).join('\n'));
  if (values.keep) console.log(report.folder);
  console.log(`${report.problems.length} contradictions, verify ${report.verifyCode === 0 ? 'clean' : 'failed'}`);
  process.exitCode = report.problems.length === 0 && report.verifyCode === 0 ? 0 : 1;
}

void main();
