import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedLog } from '#libs/event-log';
import { digestOf } from '#libs/events';
import { checkTail, DamagedLogError, tailEvents } from './log-tail';

let folder = '';
const stream = 'local.configmaps-default/a';
const place = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A log of one object that was changed again and again; each event carries its digest. */
async function written(count: number): Promise<void> {
  const log = await openEmbeddedLog({ folder });
  let follows: string | undefined;
  for (let index = 0; index < count; index++) {
    const event = {
      id: place(index),
      type: 'Updated',
      data: { changes: [{ p: ['data', 'a'], v: `value ${index}` }] },
      metadata: { writer: 'test', follows },
    };
    const digest = digestOf(event as never, stream, follows);
    await log.append(stream, [{ ...event, metadata: { ...event.metadata, digest } } as never], index === 0 ? 'no_stream' : index - 1);
    follows = digest;
  }
  await log.close();
}

function change(sql: string): void {
  const db = new DatabaseSync(join(folder, 'log.sqlite'));
  db.exec(sql);
  db.close();
}

async function checked(): Promise<unknown> {
  const log = await openEmbeddedLog({ folder });
  try {
    return await checkTail(log, 'local').catch((error: unknown) => error);
  } finally {
    await log.close();
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-tail-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the newest events of a log', () => {
  it('are as they were written, or absent', async () => {
    await written(0);
    expect(await checked()).toBeUndefined();
    await written(5);
    expect(await checked()).toBeUndefined();
  });

  it.each([
    ['what it says', "UPDATE events SET data = replace(data, 'value 3', 'value 7') WHERE revision = 3"],
    ['its type', "UPDATE events SET type = 'Upeated' WHERE revision = 3"],
    ['its id', `UPDATE events SET id = '${place(9)}' WHERE revision = 3`],
    ['its own digest', `UPDATE events SET metadata = replace(metadata, '"digest":"', '"digest":"x') WHERE revision = 3`],
    ['who wrote it', `UPDATE events SET metadata = replace(metadata, 'test', 'tesu') WHERE revision = 3`],
    ['its form', `UPDATE events SET metadata = replace(metadata, '{', '|') WHERE revision = 3`],
    ['its data’s form', `UPDATE events SET data = replace(data, '[', '(') WHERE revision = 3`],
  ])('are refused when one was changed in %s, naming it', async (_, sql) => {
    await written(5);
    change(sql);
    const error = await checked();
    expect(error).toBeInstanceOf(DamagedLogError);
    expect((error as DamagedLogError).message).toMatch(
      / at position \d+ \(local\.configmaps-default\/a, revision 3, id [0-9-]+\) does not say what was written/,
    );
    expect((error as DamagedLogError).whole).toBeGreaterThan(0);
  });

  it('are refused when one is gone', async () => {
    await written(5);
    change('DELETE FROM events WHERE revision = 2');
    expect(((await checked()) as Error).message).toContain('revision 3');
    expect(((await checked()) as Error).message).toContain('does not follow revision 1 of its stream');
  });

  it('may stand beside what somebody else wrote', async () => {
    await written(2);
    const log = await openEmbeddedLog({ folder });
    await log.append('local.notes-x', [{ id: place(77), type: 'noted', data: {}, metadata: {} }], 'no_stream');
    await log.append('others-x', [{ id: place(78), type: 'noted', data: {}, metadata: {} }], 'no_stream');
    await log.close();
    expect(await checked()).toBeUndefined();
  });

  it('are no more than so many: the rest is for verify', async () => {
    await written(tailEvents + 2);
    change("UPDATE events SET type = 'Upeated' WHERE revision = 1");
    expect(await checked()).toBeUndefined();
    change("UPDATE events SET type = 'Upeated' WHERE revision = 2");
    expect(await checked()).toBeInstanceOf(DamagedLogError);
  });
});
