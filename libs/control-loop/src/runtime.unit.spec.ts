import { describe, expect, it } from 'vitest';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { objectStream } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { VirtualClock } from './clock';
import { ClusterRuntime, type Election } from './runtime';

const start = Date.parse('2026-01-01T00:00:00Z');
const stream = objectStream('local', 'configmaps', 'default', 'settings');

async function follow(log: EventLog, election?: Election): Promise<ClusterRuntime> {
  return ClusterRuntime.start({ log, cluster: 'local', clock: new VirtualClock(start), writer: 'test', seed: 's', election });
}

/** As somebody writes it who is none of ours. */
async function append(log: EventLog, data: JsonObject): Promise<void> {
  const metadata = { v: 1, time: start, i: 1, n: 1, actor: 'user:somebody', writer: 'other', digest: 'd' };
  await log.append(stream, [{ id: 'e1', type: 'Created', data, metadata }], 'any');
}

describe('a runtime whose log is shared', () => {
  const shared = { holder: { name: 'test' } } as Election;

  it('loses a log that somebody wrote an unlawful event to, and says which, also to those who ask later', async () => {
    const log = createMemoryLog({ live: true });
    const runtime = await follow(log, shared);
    const ends: string[] = [];
    runtime.appended$.subscribe({ complete: () => ends.push('appended'), error: () => ends.push('error') });
    runtime.folded$.subscribe({ complete: () => ends.push('folded'), error: () => ends.push('error') });
    const lost = new Promise<Error>((resolve) => runtime.lost$.subscribe(resolve));
    await append(log, { object: { metadata: { labels: {} } } });
    const text = `${stream} revision 0: Created: object must be an object with metadata.name`;
    expect((await lost).message).toBe(text);
    expect(ends.toSorted()).toEqual(['appended', 'folded']);
    const later: string[] = [];
    runtime.lost$.subscribe((error) => later.push(error.message));
    expect(later).toEqual([text]);
    expect(runtime.state.byKey('configmaps', 'default/settings')).toBeUndefined();
    await runtime.close();
  });

  it('does not start on such a log', async () => {
    const log = createMemoryLog({ live: true });
    await append(log, { object: { metadata: {} } });
    await expect(follow(log, shared)).rejects.toThrow('metadata.name');
  });
});

describe('a runtime that is closed', () => {
  it('has lost nothing', async () => {
    const runtime = await follow(createMemoryLog({ live: true }));
    const heard: string[] = [];
    runtime.lost$.subscribe({ next: () => heard.push('lost'), complete: () => heard.push('over') });
    await runtime.close();
    expect(heard).toEqual(['over']);
  });
});
