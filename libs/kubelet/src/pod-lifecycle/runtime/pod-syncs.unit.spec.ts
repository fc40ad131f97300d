import { describe, expect, it } from 'vitest';
import { PodSyncs } from './pod-syncs';
import { aRun, aRuntime, exited, running } from './runs.fixture';
import { waitsUntil } from './starts';

describe('syncs of a pod of which a container waits for its next run', () => {
  it('come at its end and, since they fail, each 12.5 s', () => {
    const run = aRun('a', exited(1, 100_000, 99_000));
    const syncs = new PodSyncs(run, aRuntime({ main: [run] }));
    expect([99_999, 100_000, 112_499, 112_500, 125_000].map((at) => syncs.countBy(at))).toEqual([0, 1, 1, 2, 3]);
    expect(syncs.after(100_000)).toBe(112_500);
    expect(syncs.after(112_500)).toBe(125_000);
  });

  it('come whenever something happens to another container, and are counted anew from there', () => {
    const run = aRun('a', exited(1, 100_000, 99_000));
    const other = aRun('b', exited(1, 120_000, 104_000));
    const syncs = new PodSyncs(run, aRuntime({ main: [run, other] }));
    // Its start and the relist after it; its end; and between them one that nothing called for.
    const moments: number[] = [];
    for (let at = syncs.after(100_000); at < 140_000; at = syncs.after(at)) moments.push(at);
    expect(moments).toEqual([104_000, 105_000, 117_500, 120_000, 132_500]);
    expect(moments.map((at) => syncs.countBy(at))).toEqual([2, 3, 4, 5, 6]);
  });

  it('start all containers whose waits are over', () => {
    const a = aRun('a', { ...exited(1, 102_900, 101_800), backOffMs: 10_000 });
    const b = aRun('b', { ...exited(1, 109_000, 105_000), backOffMs: 10_000 });
    const runtime = aRuntime({ main: [a, b] });
    expect([waitsUntil(a, runtime), waitsUntil(b, runtime)]).toEqual([121_500, 121_500]);
  });

  it('find the end of a container that the kubelet itself has ended a relist later', () => {
    const run = aRun('a', { ...exited(137, 100_000, 90_000), killed: true });
    const syncs = new PodSyncs(run, aRuntime({ main: [run, aRun('b', running(1_000))] }));
    expect([syncs.after(100_000), syncs.after(101_000)]).toEqual([101_000, 112_500]);
  });
});
