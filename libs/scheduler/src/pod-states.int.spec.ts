import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallShell, ControllerShell, type Controller } from '#libs/control-loop';
import { fact } from '#libs/events';
import { chanceOf, type JsonObject, type KubeObject } from '#libs/kernel';
import type { CycleState, ExtenderCall, NodeInfo, PermitPlugin, PodInfo, PreEnqueuePlugin, Registry } from '#libs/scheduling';
import { nominations, podStateOf, podStates, transitions, type Moment, type PodState, type Transition } from './pod-states';
import { renderedPodStates } from './pod-states-page.fixture';
import { schedulerController, type SchedulerController } from './scheduler';
import { schedulerWorld } from './scheduler-world.fixture';
import type { SchedulerState } from './scheduler-state';

/** Pods of a group go in pairs; alone they wait for nine seconds. */
class Pairs implements PermitPlugin {
  readonly name = 'Pairs';

  permit({ cycle }: CycleState, pod: PodInfo): ReturnType<PermitPlugin['permit']> {
    if (pod.labels.group === undefined) return { status: undefined };
    const others = cycle.snapshot.nodes
      .flatMap((node: NodeInfo) => node.pods)
      .filter((other) => other.labels.group && other.uid !== pod.uid);
    return others.length % 2 === 1 ? { status: undefined } : { status: { code: 'Wait', reasons: [] }, waitMs: 9_000 };
  }
}

/** While the namespace has a curfew, pods that stay indoors may not enter the queue. */
class Curfew implements PreEnqueuePlugin {
  readonly name = 'Curfew';

  preEnqueue(pod: PodInfo, { listers }: Parameters<PreEnqueuePlugin['preEnqueue']>[1]): ReturnType<PreEnqueuePlugin['preEnqueue']> {
    const isOn = pod.labels.indoors !== undefined && listers.namespaceLabels('default').curfew !== undefined;
    return isOn ? { code: 'UnschedulableAndUnresolvable', reasons: ['curfew'], plugin: this.name } : undefined;
  }
}

const registry: Registry = new Map<string, () => PermitPlugin | PreEnqueuePlugin>([
  ['Pairs', () => new Pairs()],
  ['Curfew', () => new Curfew()],
]);
const config = (ignorable: boolean): JsonObject => ({
  profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Pairs' }, { name: 'Curfew' }] } } }],
  extenders: [
    { urlPrefix: 'http://extender', filterVerb: 'filter', nodeCacheCapable: true, managedResources: [{ name: 'example.com/filtered' }] },
    { urlPrefix: 'http://binder', bindVerb: 'bind', ignorable, managedResources: [{ name: 'example.com/bound' }] },
  ],
});

type Tail<T extends readonly unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

/** The moves that pods were seen to make, as `FROM → TO in MOMENT`. */
function observed(controller: SchedulerController, uids: () => Iterable<string>, seen: Set<string>): Controller {
  const before = new Map<string, PodState>();
  const note = (state: SchedulerState, moment: Moment): void => {
    for (const uid of new Set([...before.keys(), ...uids()])) {
      const is = podStateOf(state, uid);
      const was = before.get(uid) ?? 'none';
      if (is !== was) seen.add(`${was} → ${is} in ${moment}`);
      before.set(uid, is);
    }
  };
  return {
    ...controller,
    initial(cluster, now) {
      const state = controller.initial(cluster, now);
      note(state, 'apply');
      return state;
    },
    apply(state, append, cluster) {
      controller.apply(state, append, cluster);
      note(state, 'apply');
    },
    decided(state: SchedulerState, ...look: Tail<Parameters<SchedulerController['decided']>>) {
      controller.decided(state, ...look);
      note(state, 'decided');
    },
    settled(state, ...settlement) {
      controller.settled(state, ...settlement);
      note(state, 'settled');
    },
  } satisfies SchedulerController as unknown as Controller;
}

const steps = 160;
const refusable = new Set(['PodScheduled', 'ExtenderAsked', 'PodHeldAtPermit', 'PodPreempted', 'SchedulingAttempted']);

/** Users, extenders and a store that refuses now and then, all drawn from a seed. */
async function live(seed: string, seen: Set<string>): Promise<void> {
  const world = await schedulerWorld();
  const { log, runtime, writer, executive, origin } = world;
  let draws = 0;
  const draw = (bound: number): number => chanceOf(seed, `states/${draws++}`).index(bound, '');
  const oneOf = <T>(choices: readonly T[]): T => choices[draw(choices.length)] as T;
  const { append } = log;
  log.append = (stream, events, ...rest) =>
    events.some(({ type }) => refusable.has(type)) && draw(8) === 0
      ? Promise.reject(new Error('the store is away'))
      : append.call(log, stream, events, ...rest);
  const names = (): string[] => [...runtime.state.list('pods')].map(({ metadata }) => metadata.name);
  const send = async ({ verb, body }: ExtenderCall): Promise<{ body: JsonObject }> => {
    if (verb === 'filter') return { body: draw(4) === 0 ? { Error: 'not now' } : { NodeNames: body.NodeNames as string[] } };
    if (draw(2) === 0) return { body: { Error: 'not now' } };
    await world.bind(body.PodName as string, body.Node as string);
    return { body: {} };
  };
  const start = async (): Promise<{ stop(): void }[]> => {
    const controller = schedulerController({ config: config(draw(2) === 0), registry });
    const calls = new CallShell<ExtenderCall>(runtime, {
      asker: controller.name,
      stream: 'scheduler-decisions',
      asked: 'ExtenderAsked',
      send,
      answered: ({ data }, _request, reply) => {
        const { ask, question, namespace, pod, uid } = data as Record<string, string>;
        return fact('ExtenderAnswered', {
          ask,
          question,
          namespace,
          pod,
          uid,
          answer: 'body' in reply ? { body: reply.body } : reply,
        } as never);
      },
    });
    calls.start();
    const uids = (): string[] => [...runtime.state.list('pods')].map(({ metadata }) => metadata.uid);
    const shell = new ControllerShell(runtime, writer, observed(controller, uids, seen));
    await shell.start();
    return [shell, calls];
  };
  let running = await start();
  let made = 0;
  const pod = (): Promise<void> => {
    const name = `p${made++}`;
    const extended = oneOf([undefined, undefined, undefined, 'example.com/filtered', 'example.com/bound']);
    const requests = { cpu: oneOf(['250m', '1', '2', '6']), ...(extended ? { [extended]: '1' } : {}) };
    const spec = {
      containers: [{ name: 'c', image: 'app:1', resources: { requests, limits: extended ? { [extended]: '1' } : {} } }],
      priority: oneOf([0, 0, 10, 1_000]),
      terminationGracePeriodSeconds: oneOf([0, 30]),
      ...(draw(6) === 0 ? { schedulingGates: [{ name: 'example.com/later' }] } : {}),
    };
    const labels = { ...(draw(3) === 0 ? { group: 'g' } : {}), ...(draw(2) === 0 ? { indoors: '' } : {}) };
    const finalizers = draw(5) === 0 ? { finalizers: ['example.com/later'] } : {};
    return world.put('pods', { metadata: { name, namespace: 'default', labels, ...finalizers }, spec, status: { phase: 'Pending' } });
  };
  const toPod = async (act: (name: string) => Promise<unknown>): Promise<void> => {
    if (names().length > 0) await act(oneOf(names()));
  };
  const ungate = async (name: string): Promise<void> => {
    const { spec, ...rest } = world.get(name) as KubeObject;
    const { schedulingGates: _gates, ...open } = spec as JsonObject;
    const { uid, resourceVersion } = rest.metadata;
    const target = { resource: 'pods', namespace: 'default', name };
    await writer.write({ verb: 'record', target, uid, ifVersion: resourceVersion, after: { ...rest, spec: open }, facts: [] }, origin());
  };
  const fail = (name: string) =>
    writer.write(
      {
        verb: 'patch',
        target: { resource: 'pods', namespace: 'default', name },
        patchType: 'merge',
        patch: { status: { phase: 'Failed' } },
        subresource: 'status',
      },
      origin(),
    );
  const patchNamespace = (changes: JsonObject) =>
    writer.write({ verb: 'patch', target: { resource: 'namespaces', name: 'default' }, patchType: 'merge', patch: changes }, origin());
  const actions: (() => Promise<unknown>)[] = [
    pod,
    pod,
    pod,
    pod,
    () => toPod(world.remove),
    () => toPod((name) => writer.write({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name } }, origin())),
    () => toPod(ungate),
    () => toPod(fail),
    () => toPod((name) => world.bind(name, oneOf(['n0', 'n1']))),
    () => patchNamespace({ metadata: { labels: { curfew: oneOf(['on', null]) } } }),
    async () => {
      running.forEach((part) => part.stop());
      running = await start();
    },
  ];
  const capacity = { cpu: '4', memory: '8Gi', pods: '110', 'example.com/filtered': '9', 'example.com/bound': '9' };
  await world.put('namespaces', { metadata: { name: 'default' }, status: { phase: 'Active' } });
  for (const name of ['n0', 'n1']) await world.put('nodes', { metadata: { name }, spec: {}, status: { allocatable: capacity, capacity } });
  for (let step = 0; step < steps; step++) {
    const acting = (actions[draw(actions.length)] as () => Promise<unknown>)();
    if (draw(3) > 0) await executive.settle();
    await acting;
    await executive.runFor(oneOf([0, 0, 300, 2_000, 12_000, 400_000]));
  }
  running.forEach((part) => part.stop());
}

const moves = ({ from, to, in: moments }: Transition): string[] =>
  from.flatMap((was) => to.flatMap((is) => moments.map((moment) => `${was} → ${is} in ${moment}`)));

describe('the table of the states that a pod may go through', () => {
  it('is what pods do, no more and no less', async () => {
    const seen = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) await live(seed, seen);
    const told = new Set(transitions.flatMap(moves));
    expect([...seen].filter((move) => !told.has(move))).toEqual([]);
    expect(transitions.filter((transition) => !moves(transition).some((move) => seen.has(move)))).toEqual([]);
  });

  it('names functions that are there', () => {
    for (const { by } of [...transitions, ...nominations]) {
      const [file, name] = by;
      const path = [join(__dirname, file), join(__dirname, '../../scheduling/src', file)].find((candidate) => existsSync(candidate));
      expect(readFileSync(path as string, 'utf8')).toMatch(new RegExp(`(function |^  )${name}\\(`, 'm'));
    }
    expect(new Set(transitions.flatMap(({ from, to }) => [...from, ...to]))).toEqual(new Set(Object.keys(podStates)));
  });

  it('stands in the README as it is', () => {
    expect(readFileSync(join(__dirname, '../README.md'), 'utf8')).toContain(renderedPodStates());
  });
});
