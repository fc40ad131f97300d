import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterState, LogFold, takeSnapshot } from '#libs/cluster-state';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { LogIdentity } from './log-memory';
import { SnapshotStore } from './snapshot-file';

let folder: string;
let log: EventLog;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-snapshots-'));
  log = createMemoryLog();
  for (let i = 0; i < 2_000; i++) await log.append(`local.configmaps-default/c-${i}`, [created(i)], 'no_stream');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function created(i: number) {
  const object = { metadata: { name: `c-${i}`, namespace: 'default', uid: `u-${i}` }, data: { text: 'x'.repeat(500) } };
  return {
    id: `e-${i}-${Math.floor(i / 2)}`,
    type: 'Created',
    data: { object },
    metadata: { v: 1, time: i, i: 1, n: 1, digest: `d-${i}` },
  };
}

async function folded(): Promise<ClusterState> {
  const state = new ClusterState('local');
  const fold = new LogFold(state);
  for await (const page of log.readAll()) for (const event of page) fold.add(event);
  return state;
}

describe('the snapshot of a process', () => {
  const identity = (of = log): LogIdentity => new LogIdentity(of, 'local');

  it('is written in pieces while others have their turns, and is the state of the moment it was asked for', async () => {
    const state = await folded();
    const wanted = JSON.stringify(takeSnapshot(state));
    const store = new SnapshotStore(folder, 'all');
    let turns = 0;
    let writing = true;
    const count = (): void => void (writing && (turns++, setImmediate(count)));
    setImmediate(count);
    const saved = store.save(state, await identity().origin());
    const fold = new LogFold(state);
    await log.append('local.configmaps-default/late', [created(5_000)], 'no_stream');
    for await (const page of log.readAll({ from: state.position + 1 })) for (const event of page) fold.add(event);
    await saved;
    writing = false;
    expect(turns).toBeGreaterThan(10);
    expect(JSON.stringify(takeSnapshot((await store.load('local', identity()))!.state))).toBe(wanted);
    expect(readdirSync(join(folder, 'snapshots'))).toEqual(['all.jsonl']);
    expect(statSync(join(folder, 'snapshots', 'all.jsonl')).mode & 0o077).toBe(0);
  });

  it('is not used when a byte of it has changed, when its end is missing, or for another log', async () => {
    const store = new SnapshotStore(folder, 'all');
    await store.save(await folded(), await identity().origin());
    const path = join(folder, 'snapshots', 'all.jsonl');
    const whole = readFileSync(path, 'utf8');
    for (const edited of [whole.replace('xxxx', 'yyyy'), whole.slice(0, -30), whole.slice(0, whole.length / 2), '']) {
      writeFileSync(path, edited);
      expect(await store.load('local', identity())).toBeUndefined();
    }
    writeFileSync(path, whole);
    expect(await store.load('local', identity())).toBeDefined();
    const other = createMemoryLog();
    await other.append('local.configmaps-default/other', [created(77)], 'no_stream');
    expect(await store.load('local', identity(other))).toBeUndefined();
  });
});
