import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, events } from '../contract/contract-target';
import type { EventLog } from '../port';
import { Checkpointer } from './checkpointer';
import { openEmbeddedLog } from './embedded-log';

const mebibyte = 2 ** 20;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is committed to the embedded log', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubereel-checkpointer-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const sizeOf = (name: string): number => statSync(join(folder, name)).size;

  /** Appends of 40 KB each. */
  async function append(log: EventLog, count: number): Promise<void> {
    const text = 'z'.repeat(10_000);
    for (let i = 0; i < count; i++) {
      await log.append(
        `s-${i % 7}`,
        events(4, () => ({ text })),
        'any',
      );
      await turn();
    }
  }

  it('is moved into the file beside the appends, before these would have to do it', async () => {
    const log = await openEmbeddedLog({ folder });
    // 12 MB are 3,000 pages; from 4,000 on a commit used to wait for it.
    await append(log, 300);
    await vi.waitFor(() => expect(sizeOf('log.sqlite')).toBeGreaterThan(7 * mebibyte), { timeout: 10_000 });
    await log.close();
  });

  it('leaves a write-ahead log that does not grow for ever, and all of it in one file when it is closed', async () => {
    const log = await openEmbeddedLog({ folder });
    await append(log, 4_000);
    expect(sizeOf('log.sqlite-wal')).toBeLessThan(80 * mebibyte);
    await log.close();
    const db = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
    expect(db.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 16_000 });
    db.close();
    expect(sizeOf('log.sqlite')).toBeGreaterThan(150 * mebibyte);
  });

  it('is whole when the log is closed while it is moved', async () => {
    for (const count of [230, 260]) {
      const log = await openEmbeddedLog({ folder });
      const before = (await collect(log.readAll())).length;
      await append(log, count);
      await log.close();
      const again = await openEmbeddedLog({ folder });
      expect(await collect(again.readAll())).toHaveLength(before + 4 * count);
      await again.close();
    }
  });
});

describe('without a thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-checkpointer-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('the writer moves what it wrote, as SQLite does by itself', async () => {
    const path = join(folder, 'own.sqlite');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE texts (text TEXT)');
    const insert = db.prepare('INSERT INTO texts VALUES (?)');
    const checkpointer = new Checkpointer(db, join(folder, 'nowhere', 'own.sqlite'));
    const write = (times: number): void => {
      for (let i = 0; i < times; i++) {
        insert.run('z'.repeat(100_000));
        checkpointer.committed();
      }
    };
    write(112);
    // The thread has ended by then, since it could not open the file.
    const autocheckpoint = db.prepare('PRAGMA wal_autocheckpoint');
    await vi.waitFor(() => expect(autocheckpoint.get()).toEqual({ wal_autocheckpoint: 4_000 }), { timeout: 10_000 });
    expect(statSync(path).size).toBeLessThan(mebibyte);
    write(60);
    expect(statSync(path).size).toBeGreaterThan(12 * mebibyte);
    checkpointer.close();
    db.close();
  });
});
