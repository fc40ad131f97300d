import { cpus, totalmem } from 'node:os';
import type { Figure } from './figure';

/**
 * `npm run bench [-- --quick] [-- GROUP …]`: every group prints its figures with unit and load; the machine is named once.
 * Baselines beside them are those of bench/baseline.json (`--save` writes it).
 */
const groups: Record<string, (scale: number) => Promise<Figure[]>> = {
  fold: async () => (await import('./fold.js')).benchFold(),
  'event-log': async () => (await import('./event-log.js')).benchEventLog(),
  scheduling: async () => (await import('./scheduling.js')).benchScheduling(),
  'simulated-cluster': async (scale) => (await import('./simulated-cluster.js')).benchSimulatedCluster(scale),
  'control-plane': async (scale) => (await import('./control-plane.js')).benchControlPlane(scale),
};

async function main(args: string[]): Promise<void> {
  const quick = args.includes('--quick');
  const chosen = args.filter((argument) => !argument.startsWith('--'));
  const [cpu] = cpus();
  console.log(`${cpus().length} × ${cpu?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`);
  const baseline = await readBaseline();
  const measured: Record<string, number> = {};
  for (const [name, run] of Object.entries(groups)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.log(`\n${name}`);
    for (const figure of await run(quick ? 0.2 : 1)) {
      measured[figure.name] = figure.value;
      console.log(line(figure, baseline[figure.name]));
    }
  }
  if (args.includes('--save')) await saveBaseline({ ...baseline, ...measured });
}

function line({ name, value, unit, load }: Figure, before: number | undefined): string {
  const against = before === undefined ? '' : `  baseline ${rounded(before)} (×${(value / before).toFixed(2)})`;
  return `  ${name.padEnd(48)} ${rounded(value).padStart(12)} ${unit.padEnd(14)}${against}  ${load}`;
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

const baselinePath = 'bench/baseline.json';

async function readBaseline(): Promise<Record<string, number>> {
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile(baselinePath, 'utf8').catch(() => '{}')) as Record<string, number>;
}

async function saveBaseline(figures: Record<string, number>): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(baselinePath, `${JSON.stringify(figures, null, 2)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
