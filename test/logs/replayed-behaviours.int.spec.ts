import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { verify, type ControllerFactory } from '#libs/audit';
import type { RecordedEvent } from '#libs/event-log';
import { kubeletControllers } from '#libs/kubelet';
import { logOf } from '../mutants/stored-log';

/** Logs of clusters whose controllers had a behaviour that is no longer the latest, but still here: `CONTROLLER-BEHAVIOUR.jsonl.gz`. */
const folder = join(__dirname, 'behaviours');
const logs = readdirSync(folder);

function eventsOf(name: string): RecordedEvent[] {
  const lines = gunzipSync(readFileSync(join(folder, name)))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedEvent);
}

describe.each(logs)('the log %s', (name) => {
  it('is decided once more as it was then', async () => {
    const events = eventsOf(name);
    const [, controller, behaviour] = /^(.+)-(\d+)\.jsonl\.gz$/.exec(name) as unknown as [string, string, string];
    expect(
      events.some(({ type, data }) => type === 'ControllerStarted' && data.controller === controller && data.behaviour === behaviour),
    ).toBe(true);
    const report = await verify({ log: logOf(events), cluster: 'local', controllers: await controllerFactory() });
    expect(report).toMatchObject({ findings: [], unproven: [], differ: 0, otherVersion: 0, notDerivable: 0 });
    expect(report.agreed).toBeGreaterThan(0);
  });
});

it('kubelets of behaviour 2 would have decided otherwise', async () => {
  const factory = await controllerFactory();
  const [latest] = kubeletControllers();
  const always: ControllerFactory = (name, config, behaviour) =>
    name === 'kubelet' ? { ...(latest as NonNullable<typeof latest>), behaviour: behaviour as string } : factory(name, config, behaviour);
  const report = await verify({ log: logOf(eventsOf('kubelet-1.jsonl.gz')), cluster: 'local', controllers: always });
  expect(report.differ).toBeGreaterThan(0);
});
