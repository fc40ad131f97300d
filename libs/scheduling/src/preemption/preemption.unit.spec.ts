import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { attempt, makeNode, makeObject, makePod } from '../cluster.fixture';
import type { Cluster, PodParts } from '../cluster.fixture';
import type { PreemptionCandidate } from '../framework/interface';
import { podInfoOf } from '../framework/pod-info';
import { pickNodes } from './pick-one-node';

const at = (second: number) => new Date(Date.parse('2025-12-31T00:00:00Z') + second * 1000).toISOString();
const low = (name: string, nodeName: string, parts: PodParts = {}) =>
  makePod(name, { nodeName, cpu: '2', priority: 0, startTime: at(0), ...parts });
const high = (parts: PodParts = {}) => makePod('high', { cpu: '4', priority: 100, ...parts });

function preempt(cluster: Cluster, pod: KubeObject = high()) {
  const result = attempt(cluster, pod);
  if (result.kind !== 'unschedulable') throw new Error(`not refused: ${result.kind}`);
  const { postFilter } = result;
  const victims = postFilter?.preemption?.chosen?.victims.map((victim) => victim.name);
  return {
    victims,
    node: postFilter?.nominatedNodeName,
    decidedBy: postFilter?.preemption?.decidedBy,
    message: postFilter?.message,
    preemption: postFilter?.preemption,
  };
}

describe('eligibility', () => {
  const nodes = [makeNode('n')];

  it('is denied by preemptionPolicy Never', () => {
    const { message, victims } = preempt({ nodes, pods: [low('a', 'n')] }, high({ preemptionPolicy: 'Never' }));
    expect(message).toBe('no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.');
    expect(victims).toBeUndefined();
  });

  it('waits for victims of its own that terminate on the nominated node, and for no others', () => {
    const terminating = (reason: string) =>
      low('a', 'n', { terminating: true, status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason }] } });
    const pod = high({ nominated: 'n' });
    expect(preempt({ nodes, pods: [terminating('PreemptionByScheduler')] }, pod)).toMatchObject({
      message: 'no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.',
      node: undefined,
    });
    expect(preempt({ nodes, pods: [terminating('EvictionByEvictionAPI')] }, pod).victims).toEqual(['a']);
  });

  it('clears the nomination when no node can be won', () => {
    const { node, message } = preempt({ nodes, pods: [low('a', 'n', { priority: 100 })] }, high({ nominated: 'n' }));
    expect(node).toBe('');
    expect(message).toContain('No preemption victims found for incoming pod');
  });
});

describe('victims', () => {
  it('are given back the most important first', () => {
    const pods = [low('old', 'n', { startTime: at(1) }), low('young', 'n', { startTime: at(2) })];
    expect(preempt({ nodes: [makeNode('n')], pods }, high({ cpu: '2' })).victims).toEqual(['young']);
    const ranked = [low('less', 'n', { priority: 1, startTime: at(1) }), low('more', 'n', { priority: 2, startTime: at(2) })];
    expect(preempt({ nodes: [makeNode('n')], pods: ranked }, high({ cpu: '2' })).victims).toEqual(['less']);
  });

  it('are those beyond a budget only if nothing else will do; covered pods are given back first', () => {
    const budget = (allowed: number, more: object = {}) =>
      makeObject(
        'PodDisruptionBudget',
        'b',
        { spec: { selector: { matchLabels: { app: 'web' } } }, status: { disruptionsAllowed: allowed, ...more } },
        'default',
      );
    const pods = [
      low('web', 'n', { labels: { app: 'web' }, startTime: at(9) }),
      low('db', 'n', { labels: { app: 'db' }, startTime: at(1) }),
    ];
    const chosen = (pdb: KubeObject, pod = high({ cpu: '2' })) =>
      preempt({ nodes: [makeNode('n')], pods, objects: { poddisruptionbudgets: [pdb] } }, pod);
    expect(chosen(budget(0)).victims).toEqual(['db']);
    expect(chosen(budget(1)).victims).toEqual(['web']);
    expect(chosen(budget(0, { disruptedPods: { web: '2026-01-01T00:00:00Z' } })).victims).toEqual(['web']);
    expect(chosen(budget(0), high()).preemption?.chosen?.pdbViolationCount).toBe(1);
    const empty = makeObject('PodDisruptionBudget', 'b', { spec: { selector: {} }, status: { disruptionsAllowed: 0 } }, 'default');
    expect(chosen(empty).victims).toEqual(['web']);
  });

  it('are never of equal priority, nor taken where the refusal cannot be cured', () => {
    const tainted = makeNode('n', { taints: [{ key: 'k', effect: 'NoSchedule' }] });
    expect(preempt({ nodes: [tainted], pods: [low('a', 'n')] }).message).toContain('1 Preemption is not helpful for scheduling');
    expect(preempt({ nodes: [makeNode('n')], pods: [low('a', 'n', { priority: 100 })] }).victims).toBeUndefined();
  });

  it('make room beside pods nominated there with the same priority', () => {
    const nominated = [makePod('promised', { cpu: '2', priority: 100, nominated: 'n' })];
    const nodes = [makeNode('n'), makeNode('m')];
    const pods = [low('a', 'n'), low('b', 'n'), low('c', 'm'), low('d', 'm')];
    expect(preempt({ nodes, pods, nominated }).node).toBe('m');
  });

  it('come with the lower nominations that the chosen node must give up', () => {
    const nominated = [makePod('lower', { priority: 50, nominated: 'n' })];
    expect(
      preempt({ nodes: [makeNode('n')], pods: [low('a', 'n')], nominated }).preemption?.nominationsToClear.map((pod) => pod.name),
    ).toEqual(['lower']);
  });
});

describe('the choice of a node', () => {
  const candidate = (node: string, victims: PodParts[], pdbViolationCount = 0): PreemptionCandidate => ({
    node,
    victims: victims.map((parts, i) => podInfoOf(makePod(`${node}-${i}`, { startTime: at(0), ...parts }))),
    pdbViolationCount,
  });
  const pick = (...candidates: PreemptionCandidate[]) => {
    const { best, decidedBy } = pickNodes(candidates, 0);
    return [best.map((one) => one.node).join(' '), decidedBy];
  };

  it.each([
    ['one candidate', [candidate('a', [{}])], ['a', 'single']],
    ['fewest budget violations', [candidate('a', [{ priority: 0 }], 1), candidate('b', [{ priority: 9 }])], ['b', 'numPDBViolations']],
    [
      'lowest highest priority',
      [candidate('a', [{ priority: 9 }]), candidate('b', [{ priority: 8 }, { priority: 8 }])],
      ['b', 'highestPriority'],
    ],
    [
      'smallest sum, in which every victim weighs',
      [candidate('a', [{ priority: -10 }, { priority: -10 }]), candidate('b', [{ priority: -10 }])],
      ['b', 'sumPriorities'],
    ],
    [
      'latest of the earliest starts among the highest',
      [candidate('a', [{ startTime: at(1) }, { startTime: at(9) }]), candidate('b', [{ startTime: at(2) }, { startTime: at(3) }])],
      ['b', 'latestStartTime'],
    ],
    ['nothing left to tell them apart', [candidate('a', [{}]), candidate('b', [{}])], ['a b', 'tie']],
  ] as const)('%s', (_rule, candidates, expected) => {
    expect(pick(...candidates)).toEqual(expected);
  });
});

describe('the dry run', () => {
  const nodes = Array.from({ length: 250 }, (_unused, i) => makeNode(`n-${i}`));
  const pods = nodes.map((node, i) => low(`p-${i}`, node.metadata.name, { cpu: '4' }));

  it('starts at random and stops when it has candidates enough', () => {
    const result = attempt({ nodes, pods }, high(), { chance: (bound) => bound - 1, evaluateAll: false });
    const preemption = result.kind === 'unschedulable' ? result.postFilter?.preemption : undefined;
    expect(preemption?.potentialNodes).toHaveLength(250);
    expect(preemption?.candidates).toHaveLength(100);
    expect(preemption?.candidates[0]?.node).toBe('n-249');
  });

  it('takes a tie by chance', () => {
    const chosen = [0, 1].map((n) => {
      const result = attempt({ nodes: nodes.slice(0, 2), pods: pods.slice(0, 2) }, high(), { chance: (bound) => Math.min(n, bound - 1) });
      return result.kind === 'unschedulable' && result.postFilter?.preemption?.best.indexOf(result.postFilter.nominatedNodeName ?? '');
    });
    expect(chosen).toEqual([0, 1]);
  });
});
