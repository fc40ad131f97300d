import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect, event, events, failure } from '../contract/contract-target';
import { Recorder } from '../contract/recorder';
import { LogLockedError, LogUnavailableError, WrongExpectedRevisionError } from '../errors';
import { openEmbeddedLog } from './embedded-log';

describe('the embedded log', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'kubereel-embedded-')), 'log');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  it('goes on where it was closed', async () => {
    const first = await openEmbeddedLog({ folder });
    await first.append('a', events(3), 'no_stream');
    const retried = events(2);
    const answer = await first.append('b', retried, 'no_stream');
    const before = await collect(first.readAll());
    await first.close();
    const second = await openEmbeddedLog({ folder });
    expect(await collect(second.readAll())).toEqual(before);
    expect(await second.append('b', retried, 'any')).toEqual(answer);
    expect(await second.append('b', retried, 'no_stream')).toEqual(answer);
    expect(await failure(second.append('a', [event()], 'no_stream'))).toBeInstanceOf(WrongExpectedRevisionError);
    const next = await second.append('a', [event()], 2);
    expect(next).toEqual({ revision: 3, position: answer.position! + 16 });
    await second.close();
  });

  it('commits what was handed over before it is closed', async () => {
    const log = await openEmbeddedLog({ folder });
    const appended = Promise.all(Array.from({ length: 10 }, (_, i) => log.append(`s-${i}`, [event()], 'any')));
    await log.close();
    await appended;
    const again = await openEmbeddedLog({ folder });
    expect(await collect(again.readAll())).toHaveLength(10);
    await again.close();
  });

  it('is one folder, one writer, and names the holder', async () => {
    const log = await openEmbeddedLog({ folder });
    const refused = await failure(openEmbeddedLog({ folder }));
    expect(refused).toBeInstanceOf(LogLockedError);
    expect(refused).toMatchObject({ folder, holderPid: process.pid });
    await log.append('s', [event()], 'any');
    await log.close();
    const again = await openEmbeddedLog({ folder });
    expect(await collect(again.readAll())).toHaveLength(1);
    await again.close();
  });

  it('takes over from a holder that left its note behind', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'log.holder'), '{"pid":1}');
    writeFileSync(join(folder, 'log.lock'), '');
    const log = await openEmbeddedLog({ folder });
    expect(JSON.parse(readFileSync(join(folder, 'log.holder'), 'utf8'))).toMatchObject({ pid: process.pid });
    await log.close();
  });

  it('can be read and followed beside the process that writes', async () => {
    const writer = await openEmbeddedLog({ folder });
    await writer.append('a', events(2), 'any');
    const reader = await openEmbeddedLog({ folder, readOnly: true });
    expect(await collect(reader.readAll())).toHaveLength(2);
    expect(await failure(reader.append('a', [event()], 'any'))).toBeInstanceOf(LogUnavailableError);
    const following = new Recorder().on(reader, { after: 'start' });
    await following.whenCaughtUp();
    await writer.append('a', events(3), 'any');
    await following.count(5);
    expect(await collect(reader.readStream('a'))).toHaveLength(5);
    expect(await reader.head()).toBe(await writer.head());
    await reader.close();
    await writer.close();
  });

  it('there is nothing to read where no log is', async () => {
    expect((await failure(openEmbeddedLog({ folder, readOnly: true }))) as Error).toHaveProperty(
      'message',
      expect.stringContaining(folder),
    );
  });

  it('is a file that SQLite tools can read', async () => {
    const log = await openEmbeddedLog({ folder, now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
    const sent = event('PodScheduled', { node: 'n1' }, { actor: 'scheduler' });
    await log.append('local.pods-default/web', [sent], 'any');
    await log.close();
    const db = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
    expect({ ...db.prepare('SELECT * FROM log').get() }).toEqual({
      position: 16,
      stream: 'local.pods-default/web',
      revision: 0,
      type: 'PodScheduled',
      created: '2026-01-02T03:04:05.678Z',
      id: sent.id,
      data: '{"node":"n1"}',
      metadata: '{"actor":"scheduler"}',
    });
    db.close();
  });

  it('refuses files of newer programs and files that are no logs', async () => {
    await (await openEmbeddedLog({ folder })).close();
    const db = new DatabaseSync(join(folder, 'log.sqlite'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(((await failure(openEmbeddedLog({ folder }))) as Error).message).toMatch(/newer kubereel/);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const other = new DatabaseSync(join(folder, 'log.sqlite'));
    other.exec('CREATE TABLE mine (x)');
    other.close();
    expect(((await failure(openEmbeddedLog({ folder }))) as Error).message).toMatch(/not an event log/);
    writeFileSync(join(folder, 'log.sqlite'), 'not a database at all, but long enough to be taken for one'.repeat(50));
    expect(((await failure(openEmbeddedLog({ folder }))) as Error).message).toMatch(/cannot open/);
  });

  it('answers a failed write, forgets what it had begun, and goes on when it can', async () => {
    const log = await openEmbeddedLog({ folder });
    await log.append('a', events(2), 'no_stream');
    const other = new DatabaseSync(join(folder, 'log.sqlite'));
    other.exec("CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.type = 'Straw' BEGIN SELECT raise(ABORT, 'disk full'); END");
    const refused = await Promise.all([failure(log.append('new', [event()], 'any')), failure(log.append('a', [event('Straw')], 1))]);
    for (const error of refused) {
      expect(error).toBeInstanceOf(LogUnavailableError);
      expect((error as Error).message).toContain('disk full');
    }
    other.exec('DROP TRIGGER full');
    other.close();
    expect((await log.append('a', [event()], 1)).revision).toBe(2);
    expect((await log.append('new', [event()], 'no_stream')).revision).toBe(0);
    expect((await collect(log.readAll())).map(({ position }) => position)).toEqual([16, 32, 48, 64]);
    await log.close();
  });

  it('shows payloads of other programs that are no objects as bytes', async () => {
    await (await openEmbeddedLog({ folder })).close();
    const db = new DatabaseSync(join(folder, 'log.sqlite'));
    db.exec("INSERT INTO streams VALUES (1, 'foreign')");
    const insert = db.prepare('INSERT INTO events VALUES (?, 1, ?, ?, ?, 0, 0, ?, ?)');
    insert.run(16, 0, 'a', 'T', Buffer.from([255, 0]), '');
    insert.run(32, 1, 'b', 'T', '[1]', 'plain');
    insert.run(48, 2, 'c', 'T', null, 7);
    db.close();
    const log = await openEmbeddedLog({ folder });
    expect((await collect(log.readAll())).map(({ data, metadata }) => [data, metadata])).toEqual([
      [{ $base64: '/wA=' }, {}],
      [{ $base64: 'WzFd' }, { $base64: 'cGxhaW4=' }],
      [{ $base64: 'bnVsbA==' }, { $base64: 'Nw==' }],
    ]);
    await log.close();
  });

  describe('where nothing can be written beside it', () => {
    /** Root may write everywhere, so the tests say what else is found out by itself; `read-only-media.e2e.spec.ts` does without. */
    const sealed = { readOnly: true, sealed: true };

    it('is read from the file alone, with nothing left behind', async () => {
      const written = await openEmbeddedLog({ folder });
      await written.append('a', events(3), 'no_stream');
      const before = await collect(written.readAll());
      await written.close();
      const there = readdirSync(folder);
      const log = await openEmbeddedLog({ folder, ...sealed });
      expect(await collect(log.readAll())).toEqual(before);
      expect(await failure(log.append('a', [event()], 'any'))).toBeInstanceOf(LogUnavailableError);
      await log.close();
      expect(readdirSync(folder)).toEqual(there);
    });

    it('is read with what only the write-ahead log holds', async () => {
      const written = await openEmbeddedLog({ folder });
      await written.append('a', events(3), 'no_stream');
      const before = await collect(written.readAll());
      // As a crash leaves it, and a copy without the index of the write-ahead log.
      const copied = join(folder, '..', 'copy');
      mkdirSync(copied);
      for (const name of ['log.sqlite', 'log.sqlite-wal']) copyFileSync(join(folder, name), join(copied, name));
      await written.close();
      const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('kubereel-log-'));
      const others = copies();
      const log = await openEmbeddedLog({ folder: copied, ...sealed });
      expect(await collect(log.readAll())).toEqual(before);
      await log.close();
      expect(readdirSync(copied)).toEqual(['log.sqlite', 'log.sqlite-wal']);
      expect(copies().filter((name) => !others.includes(name))).toEqual([]);
    });
  });
});
