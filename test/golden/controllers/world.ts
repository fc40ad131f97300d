// The control plane that a session is played on: everything but a kubelet, in virtual time, and what a watch of all of it would show.
import { allControllers, bootstrap } from '../../../apps/cli/src/up/controllers';
import type { AppOptions } from '#libs/app-shell';
import { EventReports, type FoldedAppend } from '#libs/cluster-state';
import { callerOf, type Controller } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { kindsOf, type KindCatalogue } from '#libs/kube-api';
import { Simulation } from '#libs/testing';
import type { ObjectName, Session } from './recording';

/** A change that a watch would have shown. */
export interface Seen extends ObjectName {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
  before: KubeObject | undefined;
  /** The account that wrote it; `session`: a request of the recording. */
  by: string;
  /** Cluster time, ms. */
  time: number;
}

/** Only what a test does happens to pods: these are what a kubelet would be. */
const ofKubelets = /^kubelet/;

export class World {
  readonly seen: Seen[] = [];
  private readonly reports: EventReports;

  private constructor(readonly simulation: Simulation) {
    this.reports = new EventReports({ kindOf: (resource) => this.kinds.findGroupResource(resource) });
    simulation.runtime.folded$.subscribe((appends) => appends.forEach((append) => this.folded(append)));
  }

  static async start(session: Session, startTime: number): Promise<World> {
    const options = optionsOf(session);
    const simulation = await Simulation.start([], { start: startTime, seed: session.session, forgetful: true });
    const world = new World(simulation);
    await bootstrap(simulation.runtime, simulation.writer);
    await simulation.add(...((await allControllers(options)) as Controller[]).filter(({ name }) => !ofKubelets.test(name)));
    await simulation.executive.settle();
    return world;
  }

  get kinds(): KindCatalogue {
    return kindsOf(this.simulation.state);
  }

  /** Our Events as they are now. */
  *events(): Iterable<KubeObject> {
    for (const [, object] of this.reports.table.objects) yield object;
  }

  object({ kind, namespace, name }: ObjectName): KubeObject | undefined {
    const described = this.kinds.all.find((one) => one.kind === kind && one.served);
    return described && this.simulation.get(described.groupResource, described.namespaced ? namespace : undefined, name);
  }

  async silence(nodes: readonly string[], isSilent: boolean): Promise<void> {
    const type = isSilent ? 'NodeHeartbeatStopped' : 'NodeHeartbeatResumed';
    await this.simulation.record(
      'kubelet-decisions',
      nodes.map((node) => fact(type, { node })),
    );
  }

  private folded(append: FoldedAppend): void {
    this.reports.apply(append, this.simulation.state);
    const { change, time, events } = append;
    if (!change) return;
    const kind = this.kinds.findGroupResource(change.resource)?.kind ?? change.resource;
    const { type, namespace, name, object, before } = change;
    this.seen.push({ type, kind, namespace, name, object, before, by: writerOf(events[0]?.metadata as never), time });
  }
}

function writerOf({ actor, basis }: { actor: string; basis?: never }): string {
  if (actor.startsWith('user:')) return 'session';
  const username = callerOf({ actor, basis: basis ?? ({} as never), operation: '', correlationId: '' }, { verb: 'update' })?.user.username;
  return (username ?? actor).replace(/^system:(serviceaccount:kube-system:)?/, '');
}

/** The settings of a session's flags. */
function optionsOf({ flags = {} }: Session): AppOptions {
  const ms = (flag: string): number | undefined => (flags[flag] ? Number(flags[flag].replace('s', '')) * 1_000 : undefined);
  const number = (flag: string): number | undefined => (flags[flag] ? Number(flags[flag]) : undefined);
  const given = {
    nodeLifecycle: {
      monitorGraceMs: ms('node-monitor-grace-period'),
      startupGraceMs: ms('node-startup-grace-period'),
      evictionRate: number('node-eviction-rate'),
    },
    podGC: { terminatedPodThreshold: number('terminated-pod-gc-threshold') },
  };
  return {
    cluster: 'local',
    seed: 's',
    apiserver: { ca: 'PEM', host: '', port: 0, certificate: '', privateKey: '', token: '' },
    controllerManager: JSON.parse(JSON.stringify(given)) as AppOptions['controllerManager'],
  } as AppOptions;
}
