import { cpus, totalmem } from 'node:os';
import { choiceOf } from './choice';
import type { Figure } from './figure';

/**
 * `npm run bench [-- --quick] [-- GROUP …]`: every group prints its figures with unit and load; the machine is named once.
 * Baselines beside them are those of bench/baseline.json (`--save` writes it).
 */
const groups: Record<string, (scale: number) => Promise<Figure[]>> = {
  'pod-life': async () => (await import('./pod-life.js')).benchPodLife(),
  fold: async () => (await import('./fold.js')).benchFold(),
  'event-log': async () => (await import('./event-log.js')).benchEventLog(),
  scheduling: async () => (await import('./scheduling.js')).benchScheduling(),
  'simulated-cluster': async (scale) => (await import('./simulated-cluster.js')).benchSimulatedCluster(scale),
  'control-plane': async (scale) => (await import('./control-plane.js')).benchControlPlane(scale),
  api: async (scale) => (await import('./api.js')).benchApi(scale),
  past: async (scale) => (await import('./past.js')).benchPast(scale),
  ephemeral: async (scale) => (await import('./ephemeral.js')).benchEphemeral(scale),
  split: async (scale) => (await import('./split.js')).benchSplit(scale),
  'by-turns': async (scale) => (await import('./by-turns.js')).benchByTurns(scale),
  envtest: async () => (await import('./envtest.js')).benchEnvtest(),
  day: async (scale) => (await import('./day/main.js')).benchDay(scale),
  scaling: async (scale) => (await import('./scaling.js')).benchScaling(scale),
};
/** They take long, or need what not everybody has: only when they are asked for. */
const onRequest = new Set(['day', 'scaling', 'by-turns', 'envtest']);

async function main(args: string[]): Promise<void> {
  const choice = choiceOf(args, Object.keys(groups), onRequest);
  if ('usage' in choice) {
    if (!choice.mistake) return console.log(choice.usage);
    console.error(choice.usage);
    process.exit(2);
  }
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`;
  console.log(machine);
  const { figures } = await readBaseline();
  const measured: Baseline['figures'] = {};
  for (const name of choice.groups) {
    console.log(`\n${name}`);
    for (const figure of await groups[name]!(choice.quick ? 0.2 : 1)) {
      const { name: figureName, value, unit, load } = figure;
      measured[figureName] = { value: Number(value.toPrecision(4)), unit, load };
      console.log(line(figure, figures[figureName]?.value));
    }
  }
  if (choice.save) await saveBaseline({ machine, figures: { ...figures, ...measured } });
}

function line({ name, value, unit, load }: Figure, before: number | undefined): string {
  const against = before === undefined ? '' : `  baseline ${rounded(before)} (×${(value / before).toFixed(2)})`;
  return `  ${name.padEnd(48)} ${rounded(value).padStart(12)} ${unit.padEnd(14)}${against}  ${load}`;
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

const baselinePath = 'bench/baseline.json';

interface Baseline {
  machine: string;
  figures: Record<string, Omit<Figure, 'name'>>;
}

async function readBaseline(): Promise<Baseline> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(baselinePath, 'utf8').catch(() => '{ "machine": "", "figures": {} }');
  return JSON.parse(text) as Baseline;
}

async function saveBaseline(baseline: Baseline): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(baselinePath, `${JSON.stringify(baseline, null, 2)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
