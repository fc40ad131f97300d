import { describe, expect, it } from 'vitest';
import { prepareBinding, permitTimedOut } from './binding';
import { makeCache, makeNode, makePod, now } from './cluster.fixture';
import { ConfigurationError } from './config/errors';
import { createProfiles } from './config/profiles';
import type { CycleState } from './framework/cycle-state';
import type { FilterPlugin, PermitPlugin, Plugin, PreBindPlugin, ReservePlugin, ScorePlugin } from './framework/interface';
import type { NodeInfo } from './framework/node-info';
import type { PodInfo } from './framework/pod-info';
import type { Status } from './framework/status';
import { unschedulable } from './framework/status';
import type { Registry } from './plugins/registry';
import { schedulePod } from './schedule-pod';

/** Keeps pods off nodes that are called after another team, and prefers short names. */
class TeamNodes implements FilterPlugin, ScorePlugin {
  readonly name = 'TeamNodes';
  constructor(private readonly args: { prefix?: string } = {}) {}

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return node.name.startsWith(this.args.prefix ?? pod.namespace)
      ? undefined
      : unschedulable(this.name, 'node(s) belonged to another team');
  }

  score(_state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return Math.max(0, 100 - node.name.length);
  }
}

function run(plugin: (args: object | undefined) => Plugin, points: object, pod = makePod('p')) {
  const registry: Registry = new Map([['Own', plugin]]);
  const profiles = createProfiles(
    { profiles: [{ plugins: points, pluginConfig: [{ name: 'Own', args: { prefix: 'default' } }] }] },
    { registry },
  );
  const profile = profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no profile');
  const snapshot = makeCache({ nodes: [makeNode('default-long-name'), makeNode('default-1'), makeNode('other-1')] }).snapshot();
  const result = schedulePod(snapshot, pod, { profile, chance: () => 0, now });
  if (result.kind !== 'bound') throw new Error(JSON.stringify(result));
  return { profile, snapshot, result, binding: prepareBinding(snapshot, pod, result, profile) };
}
const everywhere = { multiPoint: { enabled: [{ name: 'Own', weight: 10 }] } };

describe("a user's plugin", () => {
  it('filters and scores beside the default ones, with its arguments', () => {
    const { result } = run((args) => Object.assign(new TeamNodes(args), { name: 'Own' }), everywhere);
    expect(result.node).toBe('default-1');
    expect(result.diagnosis.statusOf('other-1').reasons).toEqual(['node(s) belonged to another team']);
    expect(result.scores?.byPlugin.get('Own')).toEqual([830, 910]);
  });

  it('must extend the point it is enabled at, and be known', () => {
    const bad = () => run(() => new TeamNodes(), { permit: { enabled: [{ name: 'Own' }] } });
    expect(bad).toThrow(ConfigurationError);
    expect(() => createProfiles({ profiles: [{ plugins: { filter: { enabled: [{ name: 'Unknown' }] } } }] })).toThrow(
      /no plugin is named "Unknown"/,
    );
  });

  it('may reserve, refuse and be undone; the refusal is one of one node', () => {
    const calls: string[] = [];
    const plugin: ReservePlugin & PermitPlugin = {
      name: 'Own',
      reserve: () => void calls.push('reserve') as undefined,
      unreserve: () => void calls.push('unreserve'),
      permit: () => ({ status: unschedulable('Own', 'not today') }),
    };
    const { binding } = run(() => plugin, everywhere);
    expect(binding).toMatchObject({
      kind: 'unschedulable',
      message: '0/1 nodes are available: 1 not today.',
      postFilter: { nominatedNodeName: '' },
    });
    expect(binding.kind === 'unschedulable' && [...binding.unschedulablePlugins]).toEqual(['Own']);
    expect(calls).toEqual(['reserve', 'unreserve']);
  });

  it('may hold a pod back, at most a quarter of an hour', () => {
    const plugin: PermitPlugin = { name: 'Own', permit: () => ({ status: { code: 'Wait', reasons: [] }, waitMs: 3_600_000 }) };
    const { binding, result } = run(() => plugin, everywhere);
    expect(binding).toMatchObject({ kind: 'prepared', permitWaitMs: 900_000, waitingFor: ['Own'] });
    expect(permitTimedOut(result.node, 'Own', '15m0s').message).toBe(
      '0/1 nodes are available: 1 rejected due to timeout after waiting 15m0s at plugin Own.',
    );
  });

  it('may have objects written first; its errors are wrapped', () => {
    const write = { resource: 'widgets', namespace: 'default', name: 'w', patch: {} };
    const writer: PreBindPlugin = { name: 'Own', preBind: () => ({ status: undefined, writes: [write] }) };
    expect(run(() => writer, everywhere).binding).toMatchObject({ kind: 'prepared', writes: [write] });
    const failing: PreBindPlugin = { name: 'Own', preBind: () => ({ status: { code: 'Error', reasons: ['boom'] }, writes: [] }) };
    expect(run(() => failing, everywhere).binding).toMatchObject({ kind: 'error', message: 'running PreBind plugin "Own": boom' });
  });
});
