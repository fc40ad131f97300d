import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { verify } from '#libs/audit';
import { EventReader, foldLog } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';

/** Logs that earlier versions wrote; each version has to read them all. They are never written again. */
const logs = readdirSync(__dirname).filter((name) => name.endsWith('.jsonl.gz'));

async function opened(name: string): Promise<{ log: EventLog; events: RecordedEvent[] }> {
  const lines = gunzipSync(readFileSync(join(__dirname, name)))
    .toString('utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  const log = createMemoryLog();
  const reader = new EventReader();
  let append: RecordedEvent[] = [];
  for (const event of events) {
    append.push(event);
    const { i, n } = reader.read(event).metadata;
    if (i !== n) continue;
    await log.append(event.stream, append, 'any');
    append = [];
  }
  return { log, events };
}

describe.each(logs)('the log %s', (name) => {
  it('is read as it was written', async () => {
    const { log, events } = await opened(name);
    const read: RecordedEvent[] = [];
    for await (const page of log.readAll()) read.push(...page);
    expect(read.map(({ id, position, revision }) => [id, position, revision])).toEqual(
      events.map(({ id, position, revision }) => [id, position, revision]),
    );
  });

  it('folds to the pods it ended with', async () => {
    const { log } = await opened(name);
    const state = await foldLog(log, 'local');
    const pods = [...state.list('pods')].map(({ metadata, spec, status }) => [metadata.name, spec.nodeName, status.phase]).sort();
    expect(pods).toMatchSnapshot();
  });

  it('has a whole chain; its decisions cannot be proven', async () => {
    const { log } = await opened(name);
    const report = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
    expect(report).toMatchObject({ chain: [], differ: 0, differences: [] });
    expect(report.unproven.map(({ accept }) => accept)).toContain('older-log=decisions');
    expect(report.notDerivable).toBeGreaterThan(0);
  });
});
