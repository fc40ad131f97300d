// `npm run sweep -- [--seeds N] [--from SEED]`: so many clusters over failing logs, and not one finding. Ends with 1 at the first seed that
// has any; it is a test case from then on (`sweep.int.spec.ts`).
import { parseArgs } from 'node:util';
import { SweptLife } from './swept-life.fixture';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seeds: { type: 'string', default: '100' }, from: { type: 'string', default: '0' } } });
  const from = Number(values.from);
  const seeds = Number(values.seeds);
  // A process that stops waits for its last appends without keeping itself alive.
  const alive = setInterval(() => undefined, 60_000);
  const sum = { events: 0, decisions: 0, faults: 0 };
  for (let seed = from; seed < from + seeds; seed++) {
    const life = new SweptLife(String(seed));
    const findings = await life.findings();
    sum.events += life.events;
    sum.decisions += life.decisions;
    sum.faults += life.faults;
    if (findings.length === 0) continue;
    console.log([`seed ${seed}`, ...life.told, ...findings.slice(0, 5)].join('\n  '));
    process.exitCode = 1;
    break;
  }
  clearInterval(alive);
  if (process.exitCode === undefined)
    console.log(`${seeds} seeds, ${sum.events} events, ${sum.faults} faults, ${sum.decisions} decisions agreed, no finding`);
}

void main();
