import { renderWhy, why } from '#libs/audit';
import { attemptExplainers } from '../audit/explainers';
import type { SimulateFlags } from '../commands/simulate.command';
import { parseObjectName } from '../log/object-name';
import { runScenario } from './run-scenario';
import { readScenario, type Scenario } from './scenario-file';
import { SimulatedTarget } from './simulated-target';

/** How long a live cluster is given for each expectation. */
const livePatienceMs = 60_000;

export async function simulate(files: string[], flags: SimulateFlags): Promise<void> {
  let failed = 0;
  for (const file of files) {
    const scenario = readScenario(file);
    failed += flags.live ? await playLive(scenario) : await playSimulated(scenario, flags);
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function playSimulated(scenario: Scenario, flags: SimulateFlags): Promise<number> {
  const target = await SimulatedTarget.create(scenario, flags.seed);
  const { failures } = await runScenario(scenario, { target, say, patienceMs: 0 });
  for (const text of flags.why) {
    const { log, controllers, runtime } = target.cluster;
    const report = await why({ log, cluster: 'local', seed: runtime.seed, object: await parseObjectName(text), controllers, explainers: await attemptExplainers() });
    say(report ? `\nwhy ${text}\n${renderWhy(report)}` : `\nwhy ${text}: the log knows none`);
  }
  await target.close();
  return failures.length;
}

async function playLive(scenario: Scenario): Promise<number> {
  const { LiveTarget } = await import('./live-target.js');
  const target = await LiveTarget.create(scenario);
  try {
    const { failures } = await runScenario(scenario, { target, say, patienceMs: livePatienceMs });
    return failures.length;
  } finally {
    await target.close();
  }
}
