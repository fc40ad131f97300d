import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import type { UnschedulableResult } from '../../attempt-result';
import type { Cluster } from '../../cluster.fixture';
import { attempt, makeNode, makeObject, makePod, now } from '../../cluster.fixture';
import { createProfiles } from '../../config/profiles';
import { anyCluster, anyPendingPod } from '../../random-cluster.fixture';

const config = (args: object = {}) => ({
  profiles: [
    { plugins: { postFilter: { enabled: [{ name: 'CrossNodePreemption' }] } }, pluginConfig: [{ name: 'CrossNodePreemption', args }] },
  ],
});
const zone = 'topology.kubernetes.io/zone';
const inZone = (name: string, value: string, cpu = '4') => makeNode(name, { cpu, labels: { [zone]: value } });
const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: { matchLabels: { app: 'q' } } }],
  },
};
const q = (name: string, nodeName: string, more: object = {}) =>
  makePod(name, { labels: { app: 'q' }, nodeName, cpu: '1', priority: 1, ...more });
const preemptor = (more: object = {}) => makePod('p', { cpu: '1', priority: 100, affinity: apart, ...more });

function decide(cluster: Cluster, pod: KubeObject): UnschedulableResult {
  const result = attempt({ config: config(), ...cluster }, pod);
  if (result.kind !== 'unschedulable') throw new Error(`the pod is ${result.kind}`);
  return result;
}
const chosen = (result: UnschedulableResult) => {
  const preemption = result.postFilter?.preemption;
  return (
    preemption?.chosen && {
      node: preemption.chosen.node,
      victims: preemption.chosen.victims.map((victim) => victim.name),
      by: preemption.decidedBy,
    }
  );
};

describe('CrossNodePreemption', () => {
  const nodes = [inZone('a1', 'a'), inZone('a2', 'a')];
  const onA1 = { nodeSelector: { 'kubernetes.io/hostname': 'a1' } };

  it('is off unless it is enabled', () => {
    const result = decide({ nodes, pods: [q('q', 'a2')], config: undefined }, preemptor(onA1));
    expect(chosen(result)).toBeUndefined();
  });

  it('removes a pod on another node whose presence in the zone keeps the pod away', () => {
    const result = decide({ nodes, pods: [q('q', 'a2')] }, preemptor(onA1));
    expect(chosen(result)).toEqual({ node: 'a1', victims: ['q'], by: 'single' });
    expect(result.postFilter).toMatchObject({ code: 'Success', nominatedNodeName: 'a1' });
  });

  it('also where it is the other pod that bears nobody beside it', () => {
    const hater = q('q', 'a2', {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: { matchLabels: { app: 'p' } } }],
        },
      },
    });
    expect(chosen(decide({ nodes, pods: [hater] }, makePod('p', { labels: { app: 'p' }, priority: 100, ...onA1 })))).toMatchObject({
      victims: ['q'],
    });
  });

  it('and where topology spread does: as few as the skew needs, the least important first', () => {
    const constraint = { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'q' } } };
    const pods = [q('low', 'a2'), q('lower', 'a2', { priority: 0 }), q('b', 'b1', { priority: 1_000 })];
    const cordoned = makeNode('b1', { labels: { [zone]: 'b' }, cpu: '1' });
    const pod = makePod('p', { labels: { app: 'q' }, priority: 100, cpu: '1', topologySpreadConstraints: [constraint] });
    expect(chosen(decide({ nodes: [...nodes, cordoned], pods }, pod))).toMatchObject({ victims: ['lower'] });
  });

  it('frees room on the node itself together with it', () => {
    const pods = [q('q', 'a2'), makePod('filler', { nodeName: 'a1', cpu: '4', priority: 1 })];
    expect(chosen(decide({ nodes, pods }, preemptor(onA1)))).toEqual({ node: 'a1', victims: ['filler', 'q'], by: 'single' });
  });

  it('leaves the work to DefaultPreemption where one node is enough', () => {
    const pods = [q('q', 'a2'), makePod('low', { nodeName: 'b1', cpu: '4', priority: 1 })];
    const cluster = { nodes: [...nodes, inZone('b1', 'b')], pods };
    const byDefault = chosen(decide({ ...cluster, config: undefined }, preemptor()));
    expect(byDefault?.victims).toHaveLength(1);
    expect(chosen(decide(cluster, preemptor()))).toEqual(byDefault);
  });

  it('never removes pods of equal or higher priority, nor acts for a pod that never preempts', () => {
    expect(chosen(decide({ nodes, pods: [q('q', 'a2', { priority: 100 })] }, preemptor(onA1)))).toBeUndefined();
    expect(chosen(decide({ nodes, pods: [q('q', 'a2')] }, preemptor({ ...onA1, preemptionPolicy: 'Never' })))).toBeUndefined();
  });

  it('chooses by the criteria of upstream: fewest budget violations first', () => {
    const pdb = makeObject(
      'PodDisruptionBudget',
      'b',
      { spec: { selector: { matchLabels: { app: 'q', tier: 'x' } } }, status: { disruptionsAllowed: 0 } },
      'default',
    );
    const four = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b'), inZone('b2', 'b')];
    const pods = [q('guarded', 'a2', { priority: 0, labels: { app: 'q', tier: 'x' } }), q('free', 'b2')];
    const only = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a1', 'b1'] }] }],
        },
      },
    };
    const result = decide({ nodes: four, pods, objects: { poddisruptionbudgets: [pdb] } }, preemptor({ affinity: { ...apart, ...only } }));
    expect(chosen(result)).toEqual({ node: 'b1', victims: ['free'], by: 'numPDBViolations' });
  });

  it('waits, nomination kept, while victims elsewhere terminate', () => {
    const condition = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] };
    const result = decide(
      { nodes, pods: [q('q', 'a2', { terminating: true, status: condition })] },
      preemptor({ ...onA1, nominated: 'a1' }),
    );
    expect(result.postFilter?.preemption?.isEligible).toBe(false);
    expect(result.postFilter?.nominatedNodeName).toBeUndefined();
    expect(result.message).toContain('cross-node preemption: not eligible due to a terminating pod on another node.');
  });

  it('keeps within its bounds', () => {
    const pods = Array.from({ length: 5 }, (_unused, i) => q(`q${i}`, 'a2', { cpu: '100m' }));
    const bounded = (args: object) => decide({ nodes, pods, config: config(args) }, preemptor(onA1));
    expect(chosen(bounded({}))?.victims).toHaveLength(5);
    expect(chosen(bounded({ maxVictims: 4 }))).toBeUndefined();
    expect([...(bounded({ maxVictims: 4 }).postFilter?.preemption?.rejections.values() ?? [])][0]?.reasons).toEqual([
      'takes 5 victims, more than 4',
    ]);
    expect(chosen(bounded({ maxCombinations: 3 }))).toBeUndefined();
    expect(() => createProfiles(config({ maxVictims: 0 }))).toThrow(/maxVictims: must be a whole number/);
    expect(() => createProfiles(config({ depth: 1 }))).toThrow(/unknown field; known here are .*maxNodes, maxVictims, maxCombinations/);
  });

  it('holds over random clusters: lower priority only, the pod fits once they are gone, within the bounds', () => {
    let found = 0;
    fc.assert(
      fc.property(anyCluster, anyPendingPod, (cluster, pod) => {
        const args = { maxNodes: 3, maxVictims: 4 };
        const alone = {
          profiles: [
            {
              ...config(args).profiles[0],
              plugins: { postFilter: { disabled: [{ name: '*' }], enabled: [{ name: 'CrossNodePreemption' }] } },
            },
          ],
        };
        const result = attempt({ ...cluster, config: alone }, pod);
        if (result.kind !== 'unschedulable') return;
        const preemption = result.postFilter?.preemption;
        expect((preemption?.candidates.length ?? 0) + (preemption?.rejections.size ?? 0)).toBeLessThanOrEqual(3);
        for (const { node, victims } of preemption?.candidates ?? []) {
          found++;
          expect(victims.length).toBeLessThanOrEqual(4);
          for (const victim of victims) expect(victim.priority).toBeLessThan(pod.spec?.priority as number);
          const gone = new Set(victims.map((victim) => victim.uid));
          const after = attempt({ ...cluster, pods: cluster.pods?.filter(({ metadata }) => !gone.has(metadata.uid)) }, pod, {
            evaluateAll: true,
            now,
          });
          expect(after.kind === 'bound' && after.feasible).toContain(node);
        }
      }),
      { numRuns: 400, seed: 7 },
    );
    expect(found).toBeGreaterThan(10);
  });
});
