import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { verify } from '#libs/audit';
import type { RecordedEvent } from '#libs/event-log';
import { logOf } from '../mutants/stored-log';

/** Logs of clusters whose controllers had a behaviour that is no longer the latest, but still here: `CONTROLLER-BEHAVIOUR.jsonl.gz`. */
const folder = join(__dirname, 'behaviours');
const logs = readdirSync(folder);
/** Of a behaviour that is here no longer: nobody can decide by it. */
const forgotten = new Set(['kubelet-1.jsonl.gz']);

function eventsOf(name: string): RecordedEvent[] {
  const lines = gunzipSync(readFileSync(join(folder, name)))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedEvent);
}

describe.each(logs.filter((name) => !forgotten.has(name)))('the log %s', (name) => {
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

describe.each([...forgotten])('the log %s', (name) => {
  it('is read, its writer is known, and its decisions count as those of another version', async () => {
    const report = await verify({ log: logOf(eventsOf(name)), cluster: 'local', controllers: await controllerFactory() });
    expect(report).toMatchObject({ findings: [], differ: 0 });
    expect(report.otherVersion).toBeGreaterThan(0);
  });
});
