import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controllerManagerLeavesOut } from '#apps/controller-manager';
import { controllerManagerControllers } from '#libs/controllers/controller-manager';
import { kubeletLeavesOut } from '#apps/kubelet';
import { kubeletControllers } from '#libs/kubelet';
import { pdbControllerLeavesOut } from '#apps/pdb-controller';
import { pdbControllers } from '#libs/controllers/pdb-controller';
import { priorityAdmissionLeavesOut } from '#apps/priority-admission';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';
import { schedulerLeavesOut } from '#apps/scheduler';
import { schedulerController } from '#libs/scheduler';
import type { AppOptions } from '#libs/app-shell';
import { verify } from '#libs/audit';
import { prefixesOf, type ClusterState, type LeftOut } from '#libs/cluster-state';
import type { Controller } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { runScenario, type ScenarioResult } from '../../apps/cli/src/scenario/run-scenario';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';
import { brokenInvariants } from './invariants';

const folder = join(__dirname, '../../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

interface Played {
  target: SimulatedTarget;
  result: ScenarioResult;
  told: string;
}

async function play(file: string, seed?: string): Promise<Played> {
  const scenario = readScenario(join(folder, file));
  const target = await SimulatedTarget.create(scenario, seed);
  const lines: string[] = [];
  const result = await runScenario(scenario, { target, say: (line) => void lines.push(line), patienceMs: 0 });
  return { target, result, told: lines.join('\n') };
}

async function textOf(log: EventLog): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of log.readAll()) for (const event of page) lines.push(JSON.stringify(event));
  return lines;
}

interface AppReads {
  name: string;
  controllers: readonly Controller[];
  leavesOut: LeftOut;
}

const options = { cluster: 'local', seed: '', apiserver: { ca: 'ca' } as AppOptions['apiserver'] };
const apps: AppReads[] = [
  { name: 'kubelet', controllers: kubeletControllers({}), leavesOut: kubeletLeavesOut },
  { name: 'scheduler', controllers: [schedulerController() as unknown as Controller], leavesOut: schedulerLeavesOut },
  { name: 'pdb-controller', controllers: pdbControllers(), leavesOut: pdbControllerLeavesOut },
  { name: 'priority-admission', controllers: priorityAdmissionControllers(), leavesOut: priorityAdmissionLeavesOut },
  { name: 'controller-manager', controllers: controllerManagerControllers(options), leavesOut: controllerManagerLeavesOut },
];

/**
 * The log as a process sees it that leaves something out. Where an event was there is one that says nothing: in the simulation all apps
 * share a fold, so a decision may name any position as its basis.
 */
function without(log: EventLog, leavesOut: LeftOut): EventLog {
  const prefixes = prefixesOf('local', leavesOut);
  const isLeftOut = ({ stream }: RecordedEvent): boolean => prefixes.some((prefix) => stream.startsWith(prefix));
  const silent = (event: RecordedEvent): RecordedEvent => {
    const { basis: _, ...metadata } = event.metadata;
    return { ...event, stream: 'local.cluster-lifecycle/nobody', type: 'Silence', data: {}, metadata };
  };
  const part = Object.create(log) as EventLog;
  part.readAll = async function* (read) {
    for await (const page of log.readAll(read)) yield page.map((event) => (isLeftOut(event) ? silent(event) : event));
  };
  return part;
}

/** A controller whose every look at what is left out is an error. */
function blindTo(controller: Controller, leavesOut: LeftOut): Controller {
  const blind = (cluster: ClusterState): ClusterState => {
    cluster.leftOut = leavesOut;
    return cluster;
  };
  return {
    ...controller,
    initial: (cluster, now) => controller.initial(blind(cluster), now),
    apply: (state, append, cluster) => controller.apply(state, append, blind(cluster)),
    next: (state, cluster, now) => controller.next(state, blind(cluster), now),
    decide: (state, cluster, ...more) => controller.decide(state, blind(cluster), ...more),
    decided: (state, cluster, ...more) => controller.decided(state, blind(cluster), ...more),
  };
}

it('there are scenarios', () => {
  expect(files.length).toBeGreaterThanOrEqual(9);
});

describe.each(files)('scenarios/%s', (file) => {
  let played: Played;
  beforeAll(async () => {
    played = await play(file);
  });
  afterAll(() => played.target.close());

  it('meets its expectations', () => {
    expect(played.result.failures).toEqual([]);
    expect(played.result.checks).toBeGreaterThan(4);
  });

  it('is told in lines that fit a terminal', () => {
    expect(played.told.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it('binds no pod twice, over-commits no node, takes no victim of equal rank, overspends no budget', async () => {
    expect(await brokenInvariants(played.target.cluster.log)).toEqual([]);
  });

  it('is derivable: every decision follows from its basis, and the digest chain is whole', async () => {
    const { log, controllers, runtime } = played.target.cluster;
    const report = await verify({ log, cluster: 'local', seed: runtime.seed, controllers });
    expect(report).toMatchObject({ differ: 0, otherVersion: 0, notDerivable: 0, differences: [], chain: [] });
    expect(report.agreed).toBeGreaterThan(5);
  });

  it.each(apps)('is decided the same by $name, which leaves out what it does not read', async ({ controllers: own, leavesOut }) => {
    const { log, controllers, runtime } = played.target.cluster;
    const names = new Set(own.map(({ name }) => name));
    const chosen = controllers.filter(({ name }) => names.has(name));
    const common = { cluster: 'local', seed: runtime.seed };
    const whole = await verify({ ...common, log, controllers: chosen });
    const part = await verify({ ...common, log: without(log, leavesOut), controllers: chosen.map((each) => blindTo(each, leavesOut)) });
    expect(part).toMatchObject({ agreed: whole.agreed, differ: 0, otherVersion: 0, differences: [] });
  });

  it('is the same, byte for byte, with the same seed', async () => {
    const again = await play(file);
    expect(again.told).toBe(played.told);
    expect(await textOf(again.target.cluster.log)).toEqual(await textOf(played.target.cluster.log));
    await again.target.close();
  });

  it.each(['a', 'b', 'c'])('meets its expectations with seed %s too', async (seed) => {
    const other = await play(file, seed);
    expect(other.result.failures).toEqual([]);
    expect(await brokenInvariants(other.target.cluster.log)).toEqual([]);
    await other.target.close();
  });
});
