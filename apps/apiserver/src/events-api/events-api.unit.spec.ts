import { fact } from '#libs/events';
import { coreEventOf, eventsViewOf } from '#libs/kube-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

const core = '/api/v1/namespaces/default/events';
const fresh = '/apis/events.k8s.io/v1/namespaces/default/events';
const merge = { 'content-type': 'application/merge-patch+json' };
let attempts = 0;
let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
});
afterEach(() => api.close());

async function unschedulable(message: string, pod = 'web'): Promise<string> {
  const uid = pod === 'web' ? 'u' : pod;
  const attempted = fact('SchedulingAttempted', { namespace: 'default', pod, uid, outcome: 'unschedulable', message });
  await api.runtime.appendDecision(
    'scheduler-decisions',
    [attempted],
    { actor: 'scheduler', operation: `attempt ${attempts++}`, correlationId: 'c' },
    '0',
  );
  const { json } = await api.request('GET', core);
  return json.items.find((event: { message: string }) => event.message === message).metadata.name;
}

const newEvent = {
  metadata: { name: 'e' },
  regarding: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u', apiVersion: 'v1' },
  reason: 'Scheduled',
  action: 'Binding',
  note: 'a note',
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i',
};

describe('both views of an Event', () => {
  it('turn into one another', async () => {
    expect((await api.request('POST', fresh, newEvent)).status).toBe(201);
    const asCore = (await api.request('GET', `${core}/e`)).json;
    expect(asCore).toMatchObject({
      apiVersion: 'v1',
      message: 'a note',
      involvedObject: newEvent.regarding,
      reportingComponent: 'example.com/c',
      firstTimestamp: null,
    });
    const asNew = (await api.request('GET', `${fresh}/e`)).json;
    expect(asNew).toMatchObject({ ...newEvent, apiVersion: 'events.k8s.io/v1', metadata: { name: 'e' }, deprecatedSource: {} });
    const { kind: _, apiVersion: __, ...stored } = asCore;
    expect(coreEventOf(eventsViewOf(stored))).toEqual(stored);
  });

  it('have their own rules', async () => {
    const refusal = await api.request('POST', fresh, { ...newEvent, eventTime: null });
    expect(refusal.json.message).toBe('Event "e" is invalid: eventTime: Required value');
    await api.request('POST', fresh, newEvent);
    expect((await api.request('PATCH', `${fresh}/e`, { note: 'changed' }, merge)).status).toBe(422);
    expect((await api.request('PATCH', `${core}/e`, { count: 3 }, merge)).json.count).toBe(3);
    const missing = await api.request('DELETE', `${fresh}/none`);
    expect([missing.status, missing.json.details.kind]).toEqual([404, 'events']);
  });
});

describe('derived Events', () => {
  it('are listed, watched and selected like any other', async () => {
    const client = await api.watch(`${core}?watch=1`);
    const name = await unschedulable('no room');
    await unschedulable('no room');
    expect(client.takeNames()).toEqual([`ADDED ${name}`, `MODIFIED ${name}`]);
    const selected = await api.request('GET', `${core}?fieldSelector=involvedObject.uid%3Du,reason%3DFailedScheduling`);
    expect(selected.json.items).toHaveLength(1);
    expect((await api.request('GET', `${fresh}/${name}`)).json).toMatchObject({ note: 'no room', series: { count: 2 } });
    client.close();
  });

  it('go an hour later, without anything being written', async () => {
    await unschedulable('no room');
    const client = await api.watch(`${core}?watch=1`);
    client.takeNames();
    const before = api.runtime.state.position;
    api.clock.advanceTo(fixtureStart + 3_600_000);
    expect(client.frames.map(({ type }) => type)).toEqual(['DELETED']);
    expect((await api.request('GET', core)).json.items).toEqual([]);
    expect(api.runtime.state.position).toBe(before);
    client.close();
  });

  it('are put on a stream when a client writes to them, and not when the write is refused', async () => {
    const name = await unschedulable('no room');
    const before = api.runtime.state.position;
    expect((await api.request('PATCH', `${core}/${name}`, { metadata: { uid: 'other' } }, merge)).status).toBe(422);
    expect((await api.request('PATCH', `${core}/${name}?dryRun=All`, { count: 9 }, merge)).status).toBe(200);
    expect(api.runtime.state.position).toBe(before);
    expect((await api.request('PATCH', `${core}/${name}`, { count: 7 }, merge)).json.count).toBe(7);
    expect(api.runtime.state.get('events', 'default', name)?.count).toBe(7);
    await api.request('DELETE', `${core}/${name}`);
    expect((await api.request('GET', `${core}/${name}`)).status).toBe(404);
  });

  it('are the same after a restart', async () => {
    await unschedulable('no room');
    await unschedulable('still no room', 'other');
    const before = (await api.request('GET', core)).json.items;
    const resumed = await ApiFixture.start(api.log, fixtureStart + 1000);
    expect((await resumed.request('GET', core)).json.items).toEqual(before);
    await resumed.close();
  });
});

describe('stored Events', () => {
  it('are deleted on their streams an hour after they were written', async () => {
    await api.request('POST', fresh, newEvent);
    api.clock.advanceTo(fixtureStart + 3_600_000);
    await api.runtime.whenFolded(api.runtime.state.position + 1);
    expect((await api.request('GET', `${core}/e`)).status).toBe(404);
    expect(api.runtime.state.get('events', 'default', 'e')).toBeUndefined();
  });
});
