// `npm run sweep -- [--seeds N] [--from SEED] [--timing live|split|both] [--happening room|pods|both] [--places N] [--mutants N]`: so many clusters over failing logs, and
// not one finding, at the end and at so many places on the way. Ends with 1 after seeds that have any; such a seed is a test case from then
// on (`sweep.int.spec.ts`).
import { parseArgs } from 'node:util';
import { OneProcessLife } from './one-process-life.fixture';
import { SplitLife } from './split-life.fixture';
import { SweptMutants } from './swept-mutants.fixture';

const timings = { live: OneProcessLife, split: SplitLife };
const happenings = ['room', 'pods'] as const;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '100' },
      from: { type: 'string', default: '0' },
      timing: { type: 'string', default: 'both' },
      happening: { type: 'string', default: 'both' },
      places: { type: 'string', default: '5' },
      mutants: { type: 'string', default: '5' },
    },
  });
  const [from, seeds, places, mutants] = [values.from, values.seeds, values.places, values.mutants].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const isChosen = (choice: string, name: string): boolean => choice === 'both' || choice === name;
  const chosen = Object.entries(timings).flatMap(([name, Life]) =>
    happenings
      .filter((happening) => isChosen(values.timing, name) && isChosen(values.happening, happening))
      .map((happening) => [name, Life, happening] as const),
  );
  // A process that stops waits for its last appends without keeping itself alive.
  const alive = setInterval(() => undefined, 60_000);
  const sum = { events: 0, decisions: 0, faults: 0, findings: 0, mutants: 0 };
  const bySealAlone = new Map<number, number>();
  for (let seed = from; seed < from + seeds; seed++) {
    for (const [name, Life, happening] of chosen) {
      const life = new Life(String(seed), happening);
      const found = [...(await life.findings()), ...(await life.findingsOnTheWay(places))];
      const swept = new SweptMutants(await life.stored(), life.seed);
      await swept.make(mutants);
      found.push(...swept.survivors);
      sum.mutants += swept.made;
      for (const number of swept.bySealAlone) bySealAlone.set(number, (bySealAlone.get(number) ?? 0) + 1);
      sum.events += life.events;
      sum.decisions += life.decisions;
      sum.faults += life.faults;
      sum.findings += found.length;
      if (found.length > 0) console.log([`seed ${seed}, ${name}, ${happening}`, ...life.told, ...found.slice(0, 5)].join('\n  '));
    }
  }
  clearInterval(alive);
  console.log(
    `${seeds} seeds (${values.timing}, ${values.happening}), ${sum.events} events, ${sum.faults} faults, ${sum.decisions} decisions replayed, ${sum.findings} findings`,
  );
  const alone = [...bySealAlone].sort(([a], [b]) => a - b).map(([number, times]) => `${number} (${times})`);
  if (mutants > 0) console.log(`${sum.mutants} mutants; shown by a kept seal alone: ${alone.join(', ') || 'none'}`);
  process.exitCode = sum.findings === 0 ? 0 : 1;
}

void main();
