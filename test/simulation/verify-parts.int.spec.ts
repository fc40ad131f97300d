import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findingText, joinReports, verify, type VerifyOptions, type VerifyProgress } from '#libs/audit';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend } from '#libs/events';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { runScenario } from '../../apps/cli/src/scenario/run-scenario';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';

async function lived(): Promise<{ events: RecordedEvent[]; options: Omit<VerifyOptions, 'log'> }> {
  const scenario = readScenario(join(__dirname, '../../scenarios/preemption.yaml'));
  const target = await SimulatedTarget.create(scenario, 'a');
  await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
  const { cluster } = target;
  await cluster.seal();
  const events: RecordedEvent[] = [];
  for await (const page of cluster.log.readAll()) events.push(...page);
  await cluster.close();
  return { events, options: { cluster: 'local', controllers: cluster.controllers } };
}

function logOf(events: readonly RecordedEvent[]): EventLog {
  return {
    async *readAll() {
      for (let at = 0; at < events.length; at += 100) yield events.slice(at, at + 100);
    },
  } as unknown as EventLog;
}

it('two parts of a verification, put together, report what one whole does, of a log as it was and of edited ones', async () => {
  const { events, options } = await lived();
  const indexOf = (type: string): number => events.findIndex((event) => event.type === type);
  const edits: Record<string, RecordedEvent[]> = {
    'as it was': events,
    'an event is gone': events.filter((_, i) => i !== indexOf('PodScheduled')),
    'half an append is gone': events.filter((_, i) => i !== events.findIndex(({ metadata }) => metadata.i === 2)),
    'a payload is another': events.map((event, i) =>
      i === indexOf('PodPreempted') ? { ...event, data: { ...event.data, node: 'x' } } : event,
    ),
    'a payload is nothing': events.map((event, i) => (i === indexOf('PodAdmitted') ? { ...event, data: {} } : event)),
    'the metadata are nothing': events.map((event, i) => (i === indexOf('PodNominated') ? { ...event, metadata: {} } : event)),
    'the end is gone': events.slice(0, -10),
  };
  for (const [what, edited] of Object.entries(edits)) {
    const log = logOf(edited);
    const whole = await verify({ ...options, log });
    // Controllers are known to the replay alone.
    const [record, replay] = await Promise.all([
      verify({ ...options, log, controllers: [], part: 'record' }),
      verify({ ...options, log, part: 'replay' }),
    ]);
    const joined = joinReports(record, replay);
    const shown = ({ findings, ...report }: typeof whole): object => ({
      what,
      ...report,
      chain: [],
      differences: [],
      findings: findings.map(findingText).sort(),
    });
    expect(shown(joined)).toEqual(shown(whole));
    expect(whole.findingCount > 0).toBe(what !== 'as it was' && what !== 'the end is gone');
  }
});

it('a log that goes on being written is verified as far as it was at the beginning', async () => {
  const { events, options } = await lived();
  const half = events.findLastIndex((_, i) => i < events.length / 2 && isFirstOfAppend(events[i + 1]?.metadata));
  const seen: VerifyProgress[] = [];
  const until = events[half]!.position;
  const report = await verify({ ...options, log: logOf(events), until, onProgress: (progress) => seen.push(progress) });
  expect(report).toMatchObject({ events: half + 1, findingCount: 0 });
  expect(seen.at(-1)).toEqual({ reading: 2, events: half + 1, position: until });
  // What comes between the two readings is no part of either.
  let readings = 0;
  const growing = {
    async *readAll() {
      yield readings++ === 0 ? events.slice(0, half + 1) : events;
    },
  } as unknown as EventLog;
  expect(await verify({ ...options, log: growing })).toMatchObject({ events: half + 1, findingCount: 0 });
});
