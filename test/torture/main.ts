// `npm run torture -- [writes|outage] […]`: the long runs of the torture tests.
import { parseArgs } from 'node:util';
import { tortureKills } from './kills';
import { tortureOutage } from './outage';
import { tortureWholeWrites, type TortureReport } from './whole-writes';

/** Problems printed of one run. */
const shownMax = 20;

const usage = `npm run torture -- [writes] [--rounds 2000] [--set-clock] [--clients 8] [--seed N] [--split] [--keep]
npm run torture -- outage [--away 80] [--how killed|frozen|full] [--clients 8] [--seed N] [--split] [--keep]
npm run torture -- kills [--kills 20] [--split [--apps]] [--clients 8] [--seed N] [--keep]`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '2000' },
      clients: { type: 'string', default: '8' },
      seed: { type: 'string', default: '20261120' },
      away: { type: 'string', default: '80' },
      how: { type: 'string', default: 'killed' },
      kills: { type: 'string', default: '20' },
      'set-clock': { type: 'boolean', default: false },
      apps: { type: 'boolean', default: false },
      split: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const [kind = 'writes'] = positionals;
  const { clients, seed, keep, split, rounds, away } = values;
  const common = { clients: Number(clients), seed: Number(seed), flags: split ? ['--split'] : [], keep };
  if (kind === 'writes') tell(await tortureWholeWrites({ ...common, rounds: Number(rounds), setClock: values['set-clock'] }), keep);
  else if (kind === 'kills') tell(await tortureKills({ ...common, kills: Number(values.kills), apps: values.apps }), keep);
  else if (kind === 'outage') {
    const how = values.how === 'frozen' || values.how === 'full' ? values.how : 'killed';
    const report = await tortureOutage({ ...common, how, awayMs: Number(away) * 1000, loadMs: 3_000 });
    const red = report.redAfterMs === undefined ? 'never red' : `red after ${report.redAfterMs.toFixed(0)} ms`;
    console.log(`store ${how} for ${away} s: /readyz ${red}, well again ${report.greenAfterMs.toFixed(0)} ms after its return`);
    console.log(report.red);
    console.log(`the longest that a client waited: ${report.slowestMs.toFixed(0)} ms`);
    for (const [text, count] of Object.entries(report.refusals)) console.log(`  ${count} × ${text}`);
    console.log(report.terminal);
    tell(report, keep);
  } else throw new Error(`${kind} is no torture\n${usage}`);
}

function tell(report: TortureReport, keep: boolean): void {
  console.log(`${report.operations} requests: ${JSON.stringify(report.answers)}`);
  for (const problem of report.problems.slice(0, shownMax)) console.log(`  ${problem}`);
  if (report.problems.length > shownMax) console.log(`  … and ${report.problems.length - shownMax} more`);
  console.log(report.verified.split('\n').slice(-12).join('\n'));
  if (keep) console.log(report.folder);
  console.log(`${report.problems.length} contradictions, verify ${report.verifyCode === 0 ? 'clean' : 'failed'}`);
  process.exitCode = report.problems.length === 0 && report.verifyCode === 0 ? 0 : 1;
}

void main();
