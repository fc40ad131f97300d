import type { ClusterRuntime, Origin, WriteResult, Writer } from '#libs/control-loop';
import { WrongExpectedRevisionError } from '#libs/event-log';
import { fact, objectStream } from '#libs/events';
import { objectKey, type KubeObject } from '#libs/kernel';
import { prepareWrite, type StateView, type WriteRequest } from '#libs/kube-api';
import type { LiveCluster } from '../serving/live-cluster';

/** How objects are written. */
export type ObjectWriter = Pick<Writer, 'write'>;

/**
 * Writes as any writer does, and lets clients write to derived Events as well: such an Event is put on its stream as it is shown,
 * and from then on it is a stored one. Nothing is put there for a write that is refused or changes nothing.
 */
export class DerivedEventWriter implements ObjectWriter {
  constructor(
    private readonly writer: Writer,
    private readonly runtime: ClusterRuntime,
    private readonly live: LiveCluster,
  ) {}

  async write(request: WriteRequest, origin: Origin): Promise<WriteResult> {
    const derived = await this.derivedTarget(request);
    if (!derived) return this.writer.write(request, origin);
    const context = { now: this.runtime.clock.now(), id: `${this.runtime.seed}/${origin.operation}` };
    const prepared = prepareWrite(this.withDerived(), request, context);
    if (prepared.kind === 'append') {
      await this.adopt(derived, origin);
      return this.writer.write(request, origin);
    }
    return prepared.kind === 'review' ? this.writer.write(request, origin) : prepared;
  }

  private async derivedTarget(request: WriteRequest): Promise<KubeObject | undefined> {
    if (!('target' in request) || request.target.resource !== 'events') return undefined;
    const table = (await this.live.look('events'))();
    const key = objectKey(request.target.namespace, request.target.name);
    return this.live.events.reports.isDerived(key) ? table.get(key) : undefined;
  }

  /** The state with the derived Events in it. */
  private withDerived(): StateView {
    const { state } = this.runtime;
    const { table } = this.live.events.reports;
    return {
      cluster: state.cluster,
      position: state.position,
      get: (resource, namespace, name) =>
        resource === 'events' ? table.get(objectKey(namespace, name)) : state.get(resource, namespace, name),
      byKey: (resource, key) => (resource === 'events' ? table.get(key) : state.byKey(resource, key)),
      list: (resource, namespace) => (resource === 'events' ? table.list(namespace) : state.list(resource, namespace)),
      head: (stream) => state.head(stream),
    };
  }

  private async adopt(event: KubeObject, origin: Origin): Promise<void> {
    const { runtime } = this;
    const { resourceVersion: _, ...metadata } = event.metadata;
    const object = { ...event, metadata } as KubeObject;
    const stream = objectStream(runtime.options.cluster, 'events', metadata.namespace, metadata.name);
    const head = runtime.state.head(stream);
    try {
      await runtime.append(stream, [fact('Created', { object })], head?.revision ?? 'no_stream', origin, 'adopt', head?.digest);
    } catch (error) {
      // Somebody else has just done the same.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}
