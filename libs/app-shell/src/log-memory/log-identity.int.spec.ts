import { describe, expect, it } from 'vitest';
import { createMemoryLog, LogReplacedError, type EventLog, type LogMark } from '#libs/event-log';
import { LogIdentity } from './log-identity';

const event = (id: string) => ({ id, type: 'Reported', data: {}, metadata: {} });

async function written(...ids: string[]): Promise<{ log: EventLog; marks: LogMark[] }> {
  const log = createMemoryLog();
  const marks: LogMark[] = [];
  for (const id of ids) marks.push({ id, position: (await log.append('local.pods-default/web', [event(id)], 'any')).position as number });
  return { log, marks };
}

describe('which log it is', () => {
  it('is told by its first event, and by any that somebody remembers', async () => {
    const { log, marks } = await written('a', 'b');
    const identity = new LogIdentity(log, 'local');
    expect(await identity.origin()).toEqual(marks[0]);
    await expect(identity.holdTo(marks[1] as LogMark)).resolves.toBeUndefined();
    await expect(identity.holdTo({ ...(marks[1] as LogMark), id: 'other' })).rejects.toThrow(LogReplacedError);
    await expect(identity.holdTo({ id: 'c', position: 1_000 })).rejects.toThrow('no such event');
  });

  it('waits for a node that is behind, and for no other answer', async () => {
    const { log, marks } = await written('a');
    const identity = new LogIdentity(log, 'local', 60_000);
    const mark = { id: 'b', position: (marks[0] as LogMark).position + 16 };
    const held = identity.holdTo(mark);
    await log.append('local.pods-default/web', [event('b')], 'any');
    await expect(held).resolves.toBeUndefined();
    await expect(identity.holdTo({ ...mark, id: 'other' })).rejects.toThrow(LogReplacedError);
  });
});
