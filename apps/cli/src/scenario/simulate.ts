import { writeFileSync } from 'node:fs';
import { renderWhy, why } from '#libs/audit';
import { withHiddenSecrets } from '#libs/events';
import { CliError } from '../cli-error';
import { attemptExplainers } from '../audit/explainers';
import type { SimulateFlags } from './simulate-flags';
import { findObject } from '../log/find-object';
import { simulatedClusterName, type SimulatedCluster } from '../simulation/simulated-cluster';
import { runScenario, type ScenarioResult } from './run-scenario';
import { readScenario } from './scenario-file';
import type { Scenario } from './scenario';
import { SimulatedTarget } from './simulated-target';
import { painter, type Colour } from '../terminal/colour';
import type { Voice } from './teller';

/** Of the terminal; undefined where the output goes elsewhere. */
const columns: number | undefined = process.stdout.columns;
/** How long a live cluster is given for each expectation. */
const livePatienceMs = 60_000;

const say = (line: string, voice: Voice = 'plain'): void => void process.stdout.write(`${painted(line, voice)}\n`);

const colours: Record<Voice, readonly Colour[]> = {
  story: ['bold'],
  action: ['cyan'],
  cluster: ['dim'],
  met: ['green'],
  missed: ['bold', 'red'],
  plain: [],
};

/** On a terminal the voices have colours. */
function painted(line: string, voice: Voice): string {
  const colour = colours[voice];
  return colour.length === 0 ? line : painter()(colour, line);
}

/**
 * `kubereel simulate`: plays the files one after the other. The exit status is 0 only when every expectation held.
 * @throws CliError for a file that cannot be read as a scenario
 */
export async function simulate(files: string[], flags: SimulateFlags): Promise<void> {
  if (flags.live && (flags.why.length > 0 || flags.seed !== undefined)) {
    throw new CliError('--why and --seed are for simulations', 'A live cluster is asked itself: kubereel why pod/high', 2);
  }
  const summary: string[] = [];
  let failed = 0;
  for (const [index, file] of files.entries()) {
    const scenario = readScenario(file);
    if (index > 0) say(`\n${'─'.repeat(Math.min(110, columns ?? 110))}\n`);
    const { checks, failures } = flags.live ? await playLive(scenario) : await playSimulated(scenario, flags);
    summary.push(
      `${failures.length === 0 ? '✓' : '✗'} ${file}: ${checks} expectations${failures.length === 0 ? '' : `, ${failures.length} failed`}`,
    );
    failed += failures.length;
  }
  if (files.length > 1) say(`\n${summary.join('\n')}`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function playSimulated(scenario: Scenario, flags: SimulateFlags): Promise<ScenarioResult> {
  const target = await SimulatedTarget.create(scenario, flags.seed);
  const result = await runScenario(scenario, { target, say, patienceMs: 0, columns });
  for (const text of flags.why) say(await tellWhy(target.cluster, text));
  if (flags.events) await writeEvents(target.cluster, flags.events);
  await target.close();
  return result;
}

/** The log itself: the same scenario and seed give the same bytes, but for the moment each event was stored. */
async function writeEvents({ log }: SimulatedCluster, path: string): Promise<void> {
  const lines: string[] = [];
  for await (const page of log.readAll()) for (const { created: _, ...event } of page) lines.push(JSON.stringify(withHiddenSecrets(event)));
  writeFileSync(path, `${lines.join('\n')}\n`);
}

async function tellWhy({ log, controllers, runtime }: SimulatedCluster, text: string): Promise<string> {
  const object = await findObject(text, 'default', { log, cluster: simulatedClusterName });
  const report = await why({
    log,
    cluster: simulatedClusterName,
    seed: runtime.seed,
    object,
    controllers,
    explainers: await attemptExplainers(),
  });
  return report ? `\nwhy ${text}\n\n${renderWhy(report, { width: columns })}` : `\nwhy ${text}: the story knows no such object`;
}

async function playLive(scenario: Scenario): Promise<ScenarioResult> {
  const { LiveTarget } = await import('./live-target.js');
  const target = await LiveTarget.create(scenario);
  try {
    return await runScenario(scenario, { target, say, patienceMs: livePatienceMs, columns });
  } finally {
    await target.close();
  }
}
