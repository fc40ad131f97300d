import { describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import { schedulerWorld } from './scheduler-world.fixture';

describe('the scheduler on the event stream', () => {
  it('binds many pods without over-filling a node, decisions pipelined, every one derivable', async () => {
    const { runtime, node, pod, executive, runScheduler, verified } = await schedulerWorld();
    for (let i = 0; i < 5; i++) await node(`n${i}`, '4');
    for (let i = 0; i < 25; i++) await pod(`p${i}`, '1');
    const { controller } = await runScheduler();
    await executive.settle();
    const byNode = new Map<string, number>();
    for (const { spec } of runtime.state.list('pods')) if (spec.nodeName) byNode.set(spec.nodeName, (byNode.get(spec.nodeName) ?? 0) + 1);
    expect([...byNode.values()]).toEqual([4, 4, 4, 4, 4]);
    const report = await verified(controller);
    expect(report).toMatchObject({ agreed: 25, differ: 0, otherVersion: 0, notDerivable: 0, differences: [], chain: [] });
  });

  it('records a binding that is refused, so that decisions which counted on it can be made again', async () => {
    const { log, runtime, node, pod, get, origin, runScheduler, executive, events, verified } = await schedulerWorld();
    await node('large', '8');
    await node('small', '5');
    await pod('first', '3', 10);
    await pod('second', '3');
    const { append } = log;
    let isFirst = true;
    // Somebody else marks the pod for deletion just before its binding arrives; the next pod has been decided on by then.
    log.append = async (stream, appended, expected) => {
      if (isFirst && appended[0]?.type === 'PodScheduled') {
        isFirst = false;
        const going = fact('DeletionRequested', { deletionTimestamp: '2026-01-01T00:00:00Z', gracePeriodSeconds: 30, generation: 2 });
        void runtime.append(stream, [[going]], 0, { origin: origin(), label: '0', follows: runtime.state.head(stream)?.digest });
      }
      return append.call(log, stream, appended, expected);
    };
    const { controller } = await runScheduler();
    await executive.settle();
    expect(get('first')?.spec.nodeName).toBeUndefined();
    expect(get('second')?.spec.nodeName).toBe('small');
    expect((await events('BindingRefused')).map(({ data }) => [data.pod, data.node])).toEqual([['first', 'large']]);
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [], chain: [] });
  });

  it('preempts: nomination, mark and graceful deletion of the victim, then the binding once it is gone', async () => {
    const { log, runtime, writer, executive, origin, node, pod, get, runScheduler, verified } = await schedulerWorld();
    await node('n1', '2');
    await pod('low', '2');
    const { controller } = await runScheduler();
    await executive.settle();
    expect(get('low')?.spec.nodeName).toBe('n1');
    await pod('high', '2', 1000);
    await executive.settle();
    expect(get('high')?.status.nominatedNodeName).toBe('n1');
    expect(get('high')?.spec.nodeName).toBeUndefined();
    expect(get('low')?.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(get('low')?.status.conditions.map((c: { type: string; reason?: string }) => [c.type, c.reason])).toContainEqual([
      'DisruptionTarget',
      'PreemptionByScheduler',
    ]);
    await executive.runFor(5_000);
    expect(get('high')?.spec.nodeName).toBeUndefined();
    await writer.write(
      { verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'low' }, options: { gracePeriodSeconds: 0 } },
      origin(),
    );
    await executive.settle();
    await executive.runFor(20_000);
    expect(get('high')?.spec.nodeName).toBe('n1');
    const decided = [];
    for await (const page of log.readAll({ filter: { streamPrefixes: ['local.scheduler-decisions'] } }))
      decided.push(...page.map((event) => event.type));
    expect(decided.filter((type) => type === 'PreemptionDecided')).toHaveLength(1);
    const report = await verified(controller);
    expect(report).toMatchObject({ differ: 0, notDerivable: 0, differences: [], chain: [] });
    expect(runtime.pending).toBe(0);
  });

  it('takes one victim a preemptor, however late the log answers and in whatever order', async () => {
    const { log, runtime, node, pod, bind, executive, runScheduler, verified } = await schedulerWorld();
    const [nodes, slots, preemptors] = [5, 8, 20];
    for (let i = 0; i < nodes; i++) await node(`n${i}`, String(slots));
    for (let i = 0; i < nodes * slots; i++) {
      await pod(`low-${i}`, '1', 0, { terminationGracePeriodSeconds: 0 });
      await bind(`low-${i}`, `n${i % nodes}`);
    }
    const { append } = log;
    let appends = 0;
    // Each append takes another number of turns: the victims of one act are gone long before those of the next.
    log.append = async (...call) => {
      for (let turns = (appends++ * 7) % 40; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      return append.apply(log, call);
    };
    const { controller } = await runScheduler();
    for (let i = 0; i < preemptors; i++) await pod(`high-${i}`, '1', 1000);
    await executive.runFor(120_000);
    const pods = [...runtime.state.list('pods')];
    expect(pods.filter(({ metadata, spec }) => metadata.name.startsWith('high-') && spec.nodeName)).toHaveLength(preemptors);
    expect(pods.filter(({ metadata }) => metadata.name.startsWith('low-'))).toHaveLength(nodes * slots - preemptors);
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [], chain: [] });
  });

  it('counts a victim again whose deletion was refused', async () => {
    const { log, node, pod, bind, get, executive, runScheduler, verified } = await schedulerWorld();
    await node('n1', '1');
    await pod('low', '1', 0, { terminationGracePeriodSeconds: 0 });
    await bind('low', 'n1');
    const { append } = log;
    let isAway = true;
    log.append = (stream, events, expected) =>
      isAway && events.some(({ type }) => type === 'PodPreempted')
        ? Promise.reject(new Error('the store is away'))
        : append.call(log, stream, events, expected);
    const { controller } = await runScheduler();
    await pod('high', '1', 1000);
    await executive.settle();
    await pod('other', '1', 500);
    await executive.settle();
    expect([get('low')?.spec.nodeName, get('high')?.spec.nodeName, get('other')?.spec.nodeName]).toEqual(['n1', undefined, undefined]);
    isAway = false;
    await executive.runFor(600_000);
    expect([get('low'), get('high')?.spec.nodeName]).toEqual([undefined, 'n1']);
    expect(await verified(controller)).toMatchObject({ notDerivable: 0, chain: [] });
  });

  it('leaves the nodes alone for a pod that never preempts', async () => {
    const { node, pod, get, runScheduler, executive } = await schedulerWorld();
    await node('n1', '2');
    await pod('low', '2');
    await runScheduler();
    await executive.settle();
    await pod('polite', '2', 1000, { preemptionPolicy: 'Never' });
    await executive.settle();
    expect(get('low')?.metadata.deletionTimestamp).toBeUndefined();
    expect(get('polite')?.status.conditions[0].message).toContain('not eligible due to preemptionPolicy=Never');
  });
});
