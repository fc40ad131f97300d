import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isStream, type StreamSink } from '../http/answer';
import { ApiFixture } from '../testing/api-fixture.fixture';
import { unwantedAfterMs, wantedAfterMs } from './lease-watches';

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

const leases = '/apis/coordination.k8s.io/v1';
const isWanted = (): boolean => api.runtime.state.decisions.heartbeatsWanted;

/** Opens a watch; gives what closes it. */
async function watch(path: string): Promise<() => void> {
  const closed: (() => void)[] = [];
  const sink: StreamSink = {
    waitingBytes: 0,
    write: () => undefined,
    writeFrames: () => undefined,
    end: () => undefined,
    abort: () => undefined,
    onClosed: (callback) => void closed.push(callback),
    onDrained: () => undefined,
  };
  const handled = await api.handle('GET', `${leases}/${path}?watch=true`, undefined, {});
  if (isStream(handled)) handled.open(sink);
  return () => closed.forEach((callback) => callback());
}

/** Turns of the event loop in which an append comes back. */
const turnsMax = 20;

/** Lets time pass, and everything happen that is due by then. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < turnsMax; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it('heartbeats are wanted while somebody watches the Leases of nodes, and a minute longer', async () => {
  const close = await watch('leases');
  await pass(wantedAfterMs - 1);
  expect(isWanted()).toBe(false);
  await pass(1);
  expect(isWanted()).toBe(true);
  close();
  await pass(unwantedAfterMs - 1);
  const again = await watch('namespaces/kube-node-lease/leases');
  await pass(unwantedAfterMs);
  expect(isWanted()).toBe(true);
  again();
  await pass(unwantedAfterMs);
  expect(isWanted()).toBe(false);
});

it('neither a short look, a list, nor Leases of others make the log grow', async () => {
  const before = api.runtime.state.position;
  const close = await watch('leases');
  await pass(wantedAfterMs - 1);
  close();
  await watch('namespaces/kube-system/leases');
  await api.request('GET', `${leases}/leases`);
  await pass(10 * unwantedAfterMs);
  expect(isWanted()).toBe(false);
  expect(api.runtime.state.position).toBe(before);
});
