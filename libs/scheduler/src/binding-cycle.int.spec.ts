import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import {
  unschedulable,
  type CycleState,
  type NodeInfo,
  type PermitPlugin,
  type PodInfo,
  type PreBindPlugin,
  type Registry,
} from '#libs/scheduling';
import { schedulerWorld } from './scheduler-world.fixture';

/** Lets the pods of a group go when so many of them have a node. */
class Group implements PermitPlugin {
  readonly name = 'Group';
  readonly version = '1';
  constructor(private readonly size: number) {}

  permit(state: CycleState, pod: PodInfo): ReturnType<PermitPlugin['permit']> {
    const group = pod.labels.group;
    if (group === undefined) return { status: undefined };
    const others = state.cycle.snapshot.nodes
      .flatMap((node: NodeInfo) => node.pods)
      .filter((other) => other.labels.group === group && other.uid !== pod.uid);
    return others.length + 1 >= this.size ? { status: undefined } : { status: { code: 'Wait', reasons: [] }, waitMs: 30_000 };
  }
}

const enabled: JsonObject = { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Group' }] } } }] };
const registry: Registry = new Map([['Group', () => new Group(3)]]);
const group = { group: 'g' };

async function worldWithGroup() {
  const world = await schedulerWorld();
  await world.node('a', '4');
  const { controller } = await world.runScheduler({ config: enabled, registry });
  return { ...world, controller };
}

describe('a Permit plugin', () => {
  it('holds pods back until all of them have a node, counted there meanwhile', async () => {
    const { pod, get, executive, events, verified, controller } = await worldWithGroup();
    await pod('g1', '1', 0, {}, group);
    await pod('g2', '1', 0, {}, group);
    await pod('big', '3');
    await executive.settle();
    expect(['g1', 'g2', 'big'].map((name) => get(name)?.spec.nodeName)).toEqual([undefined, undefined, undefined]);
    expect((await events('PodHeldAtPermit')).map(({ data }) => data.plugins)).toEqual([['Group'], ['Group']]);
    await pod('g3', '1', 0, {}, group);
    await executive.settle();
    expect(['g1', 'g2', 'g3'].map((name) => get(name)?.spec.nodeName)).toEqual(['a', 'a', 'a']);
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
    expect(controller.behaviour).toMatch(/\+Group@1$/);
  });

  it('that does not let them go in time sends them back to the queue', async () => {
    const { pod, get, executive, verified, controller } = await worldWithGroup();
    await pod('g1', '1', 0, {}, group);
    await executive.runFor(31_000);
    expect(get('g1')?.status.conditions).toMatchObject([
      { reason: 'Unschedulable', message: '0/1 nodes are available: 1 rejected due to timeout after waiting 30s at plugin Group.' },
    ]);
    await pod('other', '4');
    await executive.settle();
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('holds back pods that are turned away, not deleted, when room is made', async () => {
    const { pod, get, executive, verified, controller } = await worldWithGroup();
    await pod('g1', '4', 0, {}, group);
    await pod('high', '4', 1_000);
    await executive.settle();
    expect(get('g1')?.metadata.deletionTimestamp).toBeUndefined();
    expect((get('g1')?.status.conditions as JsonObject[] | undefined)?.[0]?.message).toContain('1 preempted.');
    await executive.runFor(15_000);
    expect(get('high')?.spec.nodeName).toBe('a');
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('whose held pod is deleted lets those that wait for its room be tried at once', async () => {
    const { pod, get, remove, executive } = await worldWithGroup();
    await pod('g1', '4', 0, {}, group);
    await pod('next', '4');
    await executive.runFor(1_000);
    expect(get('next')?.spec.nodeName).toBeUndefined();
    await remove('g1');
    await executive.settle();
    expect(get('next')?.spec.nodeName).toBe('a');
  });

  it('forgets a pod that is deleted while it waits', async () => {
    const { pod, get, remove, executive, verified, controller } = await worldWithGroup();
    await pod('g1', '4', 0, {}, group);
    await executive.settle();
    await remove('g1');
    await pod('next', '4');
    await executive.settle();
    expect(get('next')?.spec.nodeName).toBe('a');
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });
});

describe('a PreBind plugin', () => {
  const config: JsonObject = { profiles: [{ plugins: { preBind: { enabled: [{ name: 'Note' }] } } }] };
  const note = (name: string): PreBindPlugin => ({
    name: 'Note',
    preBind: (_state, pod, node) =>
      pod.labels.refused === undefined
        ? {
            status: undefined,
            writes: [{ resource: 'configmaps', namespace: 'default', name, patch: { data: { [pod.name]: node.name } } }],
          }
        : { status: unschedulable('Note', 'refused late'), writes: [] },
  });

  async function worldWithNote(name: string) {
    const world = await schedulerWorld();
    await world.node('a', '4');
    await world.put('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'placed' }, data: {} });
    const { controller } = await world.runScheduler({ config, registry: new Map([['Note', () => note(name)]]) });
    return { ...world, controller };
  }

  it('has objects written before the pod is bound', async () => {
    const { pod, get, runtime, executive, verified, controller } = await worldWithNote('placed');
    await pod('p', '1');
    await executive.settle();
    expect(runtime.state.get('configmaps', 'default', 'placed')?.data).toEqual({ p: 'a' });
    expect(get('p')?.spec.nodeName).toBe('a');
    expect(await verified(controller)).toMatchObject({ agreed: 1, differ: 0, notDerivable: 0 });
  });

  it('whose write fails, or that refuses, leaves the pod unbound', async () => {
    const failing = await worldWithNote('absent');
    await failing.pod('p', '1');
    await failing.executive.settle();
    expect(failing.get('p')?.spec.nodeName).toBeUndefined();
    const { pod, get, executive, verified, controller } = await worldWithNote('placed');
    await pod('late', '1', 0, {}, { refused: '' });
    await executive.settle();
    expect((get('late')?.status.conditions as JsonObject[] | undefined)?.[0]?.message).toBe('0/1 nodes are available: 1 refused late.');
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0 });
  });
});
