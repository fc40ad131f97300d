import type { FoldedAppend } from '#libs/cluster-state';
import type { ClusterRuntime, Origin, Timer, Writer } from '#libs/control-loop';
import { remoteAvailability, slicesOf, undiscovered } from '#libs/controllers/apiserver';
import { derivedId, jsonEqual, objectKey, type JsonObject, type ObjectKey } from '#libs/kernel';
import { groupVersionPath, withApiServiceAvailability, type ApiServiceAvailability } from '#libs/kube-api';
import type { Aggregation } from './aggregation';
import { probe } from './probe';
import { apiServices, type RemoteGroupVersion } from './remote-groups';

/** How often a server that answers is asked again, ms of cluster time; one that does not is asked after that at the latest. */
const againMs = 30_000;
/** After the first failure a server is asked again so soon, ms of real time; each further one doubles it. */
const firstBackOffMs = 250;
/** How often a status is written anew where somebody else has written to the object meanwhile. */
const attemptsMax = 5;

const passed: ApiServiceAvailability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

interface Watched {
  timer?: Timer;
  failures: number;
  isAsking: boolean;
  /** Something has changed while it was asked. */
  again: boolean;
}

/**
 * Asks the servers of aggregated APIs whether they answer, and writes what it found into the status of their APIServices where that is
 * something else than before (upstream: the remote half of the availability controller). What can be told without asking, the pure
 * controller tells.
 */
export class AvailabilityShell {
  private readonly watched = new Map<string, Watched>();
  private isStopped = false;
  private writes = 0;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly aggregation: Aggregation,
    private readonly onError: (error: Error) => void,
  ) {}

  start(): void {
    for (const { name } of this.aggregation.groups.all.values()) this.look(name);
  }

  stop(): void {
    this.isStopped = true;
    for (const { timer } of this.watched.values()) timer?.cancel();
    this.watched.clear();
  }

  /** Takes note of what has changed. */
  follow(appends: readonly FoldedAppend[]): void {
    for (const { change } of appends) {
      if (change?.resource === apiServices) {
        // What this shell has written itself tells it nothing.
        const isStatus = change.type === 'MODIFIED' && jsonEqual(change.before?.spec as JsonObject, change.object.spec as JsonObject);
        if (!isStatus) this.look(change.name);
      } else if (change?.resource === 'services') this.lookBehind(change.key);
      else if (change?.resource === 'endpointslices.discovery.k8s.io') this.lookBehind(slicesOf(change.object));
    }
  }

  private lookBehind(service: ObjectKey | undefined): void {
    for (const remote of this.aggregation.groups.all.values())
      if (objectKey(remote.service.namespace, remote.service.name) === service) this.look(remote.name);
  }

  private find(name: string): RemoteGroupVersion | undefined {
    for (const remote of this.aggregation.groups.all.values()) if (remote.name === name) return remote;
    return undefined;
  }

  private look(name: string): void {
    let watched = this.watched.get(name);
    if (!watched) this.watched.set(name, (watched = { failures: 0, isAsking: false, again: false }));
    watched.timer?.cancel();
    watched.timer = undefined;
    watched.again = true;
    if (!watched.isAsking) void this.ask(name, watched).catch(this.onError);
  }

  private async ask(name: string, watched: Watched): Promise<void> {
    watched.isAsking = true;
    try {
      while (watched.again && !this.isStopped) {
        watched.again = false;
        const remote = this.find(name);
        const found = remote && (await this.availabilityOf(remote));
        if (!remote) this.watched.delete(name);
        // What is answered to a question that would not be put any more, nobody writes.
        else if (found && !watched.again) await this.tell(remote, found);
        watched.failures = !found || found === passed ? 0 : watched.failures + 1;
        if (found && !this.isStopped) watched.timer = this.runtime.clock.at(this.nextLook(watched), () => this.look(name));
      }
    } finally {
      watched.isAsking = false;
    }
  }

  /** Cluster time, ms. However fast it goes, a server is left in peace for a while. */
  private nextLook({ failures }: Watched): number {
    const { clock } = this.runtime;
    const backOff = failures === 0 ? againMs : Math.min(againMs, firstBackOffMs * 2 ** (failures - 1));
    return clock.now() + Math.max(backOff, clock.inRealMs(firstBackOffMs));
  }

  /** Undefined: the pure controller tells it. */
  private async availabilityOf(remote: RemoteGroupVersion): Promise<ApiServiceAvailability | undefined> {
    const { service } = remote;
    if (remoteAvailability(this.runtime.state, service, remote)) return undefined;
    if (this.aggregation.isSimulated(remote)) return passed;
    const backend = this.aggregation.backendOf(remote);
    if ('error' in backend) return undefined;
    const why = await probe(backend, groupVersionPath(remote.group, remote.version), await this.aggregation.connections());
    return why === undefined ? passed : undiscovered(why);
  }

  private async tell({ name, said }: RemoteGroupVersion, found: ApiServiceAvailability): Promise<void> {
    const { state, clock } = this.runtime;
    const operation = `availability/${name}/${this.runtime.options.writer}/${this.writes++}`;
    const origin: Origin = { actor: 'apiservice-availability', operation, correlationId: derivedId(operation) };
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const present = state.get(apiServices, undefined, name);
      if (!present || present.metadata.deletionTimestamp || present.metadata.uid !== said.metadata.uid) return;
      const object = withApiServiceAvailability(present, found, clock.now());
      if (object === present) return;
      const target = { resource: apiServices, name };
      const result = await this.writer.write(
        { verb: 'update', target, subresource: 'status', object },
        { ...origin, operation: `${operation}/${attempt}` },
      );
      if (result.kind !== 'refused' || result.status.code !== 409) return;
    }
  }
}
