import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { defaultProfile, makeCache, makeNode, makePod, now } from '../cluster.fixture';
import { createProfiles } from '../config/profiles';
import { schedulePod } from '../schedule-pod';
import type { ExtenderAnswer, ExtenderCall } from './extender';

const nodes = [makeNode('a'), makeNode('b'), makeNode('c')];
const low = (name: string, node: string) => makePod(name, { nodeName: node, cpu: '4', startTime: '2025-12-31T00:00:00Z' });

/** Makes the attempt as often as questions come, answering each. */
function converse(
  extenders: object[],
  reply: (call: ExtenderCall) => ExtenderAnswer,
  pod: KubeObject = makePod('p'),
  pods: KubeObject[] = [],
) {
  const profiles = createProfiles({ extenders });
  const snapshot = makeCache({ nodes, pods }).snapshot();
  const calls: ExtenderCall[] = [];
  const extenderAnswers: ExtenderAnswer[] = [];
  for (;;) {
    const options = {
      profile: defaultProfile(profiles),
      chance: () => 0,
      now,
      extenders: profiles.configuration.extenders,
      extenderAnswers,
    };
    const result = schedulePod(snapshot, pod, options);
    if (result.kind !== 'ask') return { result, calls };
    calls.push(result.call);
    extenderAnswers.push(reply(result.call));
  }
}

const filtering = { urlPrefix: 'http://x/', filterVerb: 'filter', nodeCacheCapable: true };
const names = (body: JsonObject): Json => body.NodeNames ?? null;

describe('extenders', () => {
  it('filter what the plugins left, one after the other', () => {
    const drop =
      (name: string) =>
      (call: ExtenderCall): ExtenderAnswer => ({
        body: { NodeNames: (names(call.body) as string[]).filter((node) => node !== name), FailedNodes: { [name]: 'no' } },
      });
    const { result, calls } = converse([filtering, filtering], (call) => drop(call.extender === 0 ? 'a' : 'b')(call));
    expect(calls.map((call) => [call.url, names(call.body)])).toEqual([
      ['http://x/filter', ['a', 'b', 'c']],
      ['http://x/filter', ['b', 'c']],
    ]);
    expect(result).toMatchObject({ kind: 'bound', node: 'c' });
  });

  it('wake a pod they refused on any event, and say whether preemption may help', () => {
    const { result } = converse([filtering], () => ({
      body: { NodeNames: [], FailedNodes: { a: 'full' }, FailedAndUnresolvableNodes: { b: 'never', c: 'never' } },
    }));
    expect(result).toMatchObject({ kind: 'unschedulable', postFilter: { preemption: { potentialNodes: ['a'] } } });
    expect(result.kind === 'unschedulable' && result.message).toMatch(/^0\/3 nodes are available: 1 full, 2 never\./);
    expect(result.kind === 'unschedulable' && [...result.unschedulablePlugins]).toEqual(['Extender']);
  });

  it('that fail end the attempt, unless they may be ignored', () => {
    expect(converse([filtering], () => ({ error: 'connection refused' })).result).toMatchObject({
      kind: 'error',
      message: 'connection refused',
    });
    expect(converse([filtering], () => ({ body: { Error: 'bad' } })).result).toMatchObject({ kind: 'error', message: 'bad' });
    expect(converse([{ ...filtering, ignorable: true }], () => ({ error: 'connection refused' })).result.kind).toBe('bound');
    expect(converse([filtering], () => ({ body: { NodeNames: ['z'] } })).result).toMatchObject({ kind: 'error' });
  });

  it('add their scores, times ten and their weight; errors there are ignored', () => {
    const prioritizing = { urlPrefix: 'http://x', prioritizeVerb: 'prioritize', weight: 2 };
    const { result } = converse([prioritizing], () => ({ body: [{ Host: 'b', Score: 10 }] }));
    expect(result).toMatchObject({ kind: 'bound', node: 'b' });
    expect(converse([prioritizing], () => ({ error: 'x' })).result).toMatchObject({ kind: 'bound', node: 'a' });
  });

  it('are asked only for pods that use a resource they manage, which the plugins may then ignore', () => {
    const managing = { ...filtering, managedResources: [{ name: 'example.com/fpga', ignoredByScheduler: true }] };
    expect(converse([managing], () => ({ error: 'x' })).calls).toEqual([]);
    const pod = makePod('p', { containers: [{ name: 'c', resources: { requests: { 'example.com/fpga': '1' } } }] });
    const { result, calls } = converse([managing], (call) => ({ body: { NodeNames: names(call.body) } }), pod);
    expect([calls.length, result.kind]).toEqual([1, 'bound']);
  });

  it('take part in preemption: they may drop candidates', () => {
    const preempting = { urlPrefix: 'http://x', preemptVerb: 'preempt', nodeCacheCapable: true };
    const pods = [low('x', 'a'), low('y', 'b'), low('z', 'c')];
    const reply = (kept: object): ExtenderAnswer => ({ body: { NodeNameToMetaVictims: kept as JsonObject } });
    const pod = makePod('p', { cpu: '4', priority: 5 });
    const { result, calls } = converse(
      [preempting],
      () => reply({ b: { Pods: [{ UID: 'u-default-y' }], NumPDBViolations: 0 } }),
      pod,
      pods,
    );
    expect(Object.keys(calls[0]?.body.NodeNameToMetaVictims as object)).toEqual(['a', 'b', 'c']);
    expect(result).toMatchObject({ postFilter: { nominatedNodeName: 'b' } });
    const empty = converse([preempting], () => reply({ b: { Pods: [] } }), pod, pods).result;
    expect(empty.kind === 'unschedulable' && empty.message).toContain('expected at least one victim pod on node "b"');
    const none = converse([preempting], () => reply({}), pod, pods).result;
    expect(none.kind === 'unschedulable' && none.message).toContain('preemption: no candidate node for preemption');
  });
});
