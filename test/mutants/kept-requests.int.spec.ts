import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryLog, type RecordedEvent } from '#libs/event-log';
import { ApiUnderTest } from '../api-under-test.fixture';
import { changedData, changedMetadata, type Edit } from './edits';
import { rechained } from './rechain';
import { eventsIn } from './stored-log';
import { verified } from './survey';

describe('a cluster that keeps requests', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  let events: RecordedEvent[] = [];

  beforeAll(async () => {
    const log = createMemoryLog();
    const api = await ApiUnderTest.start(log, { keepsRequests: true });
    const headers = { 'content-type': 'application/json' };
    await api.send({ method: 'POST', path, headers, body: JSON.stringify({ metadata: { name: 'a' }, data: { a: '1' } }) });
    const merge = { 'content-type': 'application/merge-patch+json' };
    await api.send({ method: 'PATCH', path: `${path}/a`, headers: merge, body: JSON.stringify({ data: { a: '2' } }) });
    await api.send({ method: 'DELETE', path: `${path}/a` });
    events = await eventsIn(log);
    await api.close();
  });
  afterAll(() => void (events = []));

  const lettersOf = async (edit: Edit): Promise<string[]> => {
    const { findings } = await verified(rechained(edit(events)));
    return [...new Set(findings.map(({ check }) => check))];
  };

  it('has one before each write of a client, and is proven', async () => {
    const kept = events.filter(({ type }) => type === 'RequestKept').map(({ data }) => (data.request as { verb: string }).verb);
    expect(kept).toEqual(['create', 'patch', 'delete']);
    expect((await verified(events)).findings).toEqual([]);
  });

  it('shows a lawful write that nobody asked for', async () => {
    const isWritten = ({ type, stream }: RecordedEvent): boolean => type === 'Created' && stream.endsWith('configmaps-default/a');
    expect(await lettersOf(changedData(isWritten, (data) => (data.object.data.a = 'lawful')))).toContain('W');
  });

  it('shows a request that is not the one whose digest its write has', async () => {
    expect(
      await lettersOf(
        changedMetadata(
          ({ metadata }) => metadata.verb === 'patch',
          (metadata) => (metadata.body = 'another'),
        ),
      ),
    ).toContain('W');
  });
});
