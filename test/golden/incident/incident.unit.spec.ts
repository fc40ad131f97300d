import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { failedSteps, sessionLines } from '../play-result';
import { comparePreemptions, workloadOf } from './compare-preemptions';
import type { Preemption } from './incident';
import { readIncident } from './incident';
import { incidentsIn, playIncidents } from './main';

const preemption = (
  preemptor: string,
  owner: string | undefined,
  priority: number,
  victims: [string, string | undefined, number][],
  node = 'n1',
): Preemption => ({
  preemptor,
  owner,
  priority,
  node,
  victims: victims.map(([pod, of, rank]) => ({ pod, owner: of, priority: rank })),
});

describe('workloads', () => {
  it('are pods of their own, Deployments behind ReplicaSets, and other owners', () => {
    expect(workloadOf('a/p006', undefined)).toBe('a/p006');
    expect(workloadOf('prod/ingester-5fd4797859-tw467', 'ReplicaSet/ingester-5fd4797859')).toBe('prod/ingester');
    expect(workloadOf('data/zk-2', 'StatefulSet/zk')).toBe('data/zk');
    expect(workloadOf('data/agent-4m5w8', 'DaemonSet/agent')).toBe('data/agent');
  });
});

describe('preemptions', () => {
  const expected = [
    preemption('a/api-5fd4797859-tw467', 'ReplicaSet/api-5fd4797859', 1000, [
      ['a/low-1', undefined, 100],
      ['a/mail-57b9f6f8fc-d2l8c', 'ReplicaSet/mail-57b9f6f8fc', 0],
    ]),
    preemption('a/solo', undefined, 2000, [['a/low-1', undefined, 100]]),
  ];
  const lines = (actual: Preemption[]) =>
    comparePreemptions(expected, actual).flatMap(({ differences }) => differences.map(({ path, text }) => `${path}: ${text}`));

  it('agree whatever the generated names, nodes and order', () => {
    const actual = [
      preemption('a/solo', undefined, 2000, [['a/low-1', undefined, 100]], 'n9'),
      preemption('a/api-7d8f9b6c5-x2z4q', 'ReplicaSet/api-7d8f9b6c5', 1000, [
        ['a/mail-2222-bbbbb', 'ReplicaSet/mail-2222', 0],
        ['a/low-1', undefined, 100],
      ]),
    ];
    expect(lines(actual)).toEqual([]);
  });

  it('that are missing, or of other priorities and numbers of victims, are named', () => {
    expect(lines(expected.slice(0, 1))).toEqual([
      'preemptors[a/solo at 2000]: expected 1, got 0',
      'preemptions[a/solo at 2000 takes 1 (100)]: expected 1, got 0',
    ]);
    const other = [expected[0]!, preemption('a/solo', undefined, 2000, [['a/low-2', undefined, 200]])];
    expect(lines(other)).toEqual([
      'preemptions[a/solo at 2000 takes 1 (100)]: expected 1, got 0',
      'preemptions[a/solo at 2000 takes 1 (200)]: expected 0, got 1',
      'preempted[a/low-2 at 200]: expected 0, got 1',
    ]);
    expect(lines([...expected, expected[1]!])).toHaveLength(2);
  });
});

describe('recorded incidents', () => {
  const golden = goldenFolder('incidents');

  it.runIf(golden !== undefined)('are read whole', () => {
    const names = incidentsIn(golden ?? '');
    expect(names).toContain('03-nomination-lost');
    for (const name of names) {
      const incident = readIncident(`${golden}/${name}`);
      expect(incident.actions[0]).toMatchObject({ verb: 'apply', initial: true });
      expect(incident.actions.at(-1)?.verb).toBe('end');
      const applied = incident.actions.flatMap((action) => (action.verb === 'apply' && action.initial ? action.objects : []));
      expect(applied).toHaveLength(incident.objects.length);
    }
    const lost = readIncident(`${golden}/03-nomination-lost`);
    expect(lost.preemptions).toHaveLength(6);
    expect(lost.preemptions[1]).toEqual({
      preemptor: 't/solo-higher',
      owner: undefined,
      priority: 2000,
      node: 'solo-01',
      victims: [
        { pod: 't/solo-low-1', owner: undefined, priority: 100, alreadyTerminating: true },
        { pod: 't/solo-low-2', owner: undefined, priority: 100, alreadyTerminating: true },
      ],
    });
  });

  it.runIf(golden !== undefined)('pass when re-enacted as recorded, and fail otherwise', async () => {
    const folder = `${golden}/04a-budget-respected`;
    const { preemptions } = readIncident(folder);
    const [same] = await playIncidents(folder, [], undefined, () => Promise.resolve(preemptions));
    expect(sessionLines(same!, true)).toEqual(['04a-budget-respected: 3/3']);
    const [fewer] = await playIncidents(golden ?? '', ['04a-budget-respected'], undefined, () => Promise.resolve(preemptions.slice(1)));
    expect(failedSteps(fewer!)).toBe(3);
    const [broken] = await playIncidents(folder, [], undefined, () => Promise.reject(new Error('no scheduler')));
    expect(sessionLines(broken!, true)).toEqual(['04a-budget-respected: 0/3', '  not played: no scheduler (3 steps count as failed)']);
  });
});
