import type { GroupResource, KubeObject } from '#libs/kernel';
import { reach, type Reached } from './network';

/** The objects of a cluster, as of one moment. */
export interface ClusterReader {
  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: GroupResource, namespace?: string): Iterable<KubeObject>;
}

/** A cluster in which there is nothing. */
export const nowhere: ClusterReader = { get: () => undefined, list: () => [] };

/** A program would look at the cluster at a moment that is not there yet. */
export class NotYetError extends Error {
  override name = 'NotYetError';

  /** @param at ms since the epoch */
  constructor(readonly at: number) {
    super('not yet');
  }
}

/** What reaches into a container from outside its pod's spec: the objects of the cluster, and whether anybody looked at them. */
export class World {
  /** A program has looked at something: what it does may be another thing at another time. */
  hasLooked = false;
  /** It has read a Secret. */
  hasReadSecret = false;
  /** As it was before: what is reached now was not, and the other way round. */
  isBefore = false;
  /** Nobody can tell yet what is reached later than now: who asks is told so by a NotYetError. */
  endsNow = false;

  /** @param now of the objects, ms since the epoch */
  constructor(
    private readonly reader: ClusterReader,
    readonly pod: KubeObject,
    readonly now: number,
  ) {}

  /** An object of the pod's namespace. */
  object(resource: GroupResource, name: string): KubeObject | undefined {
    this.hasLooked = true;
    if (resource === 'secrets') this.hasReadSecret = true;
    return this.reader.get(resource, this.pod.metadata.namespace, name);
  }

  /** What there is for pods on the node; undefined: the node is not there. */
  allocatable(): Record<string, string> | undefined {
    this.hasLooked = true;
    return this.reader.get('nodes', undefined, this.pod.spec?.nodeName as string)?.status?.allocatable as
      Record<string, string> | undefined;
  }

  /** Those of the pod's namespace, and the API server's. */
  services(): KubeObject[] {
    this.hasLooked = true;
    const own = [...this.reader.list('services', this.pod.metadata.namespace)];
    const api = this.reader.get('services', 'default', 'kubernetes');
    return api && this.pod.metadata.namespace !== 'default' ? [...own, api] : own;
  }

  /** Who answers at a host's port. @param at the moment of asking, ms since the epoch */
  reach(host: string, port: number | undefined, at: number): Reached {
    this.hasLooked = true;
    if (this.endsNow && at > this.now) throw new NotYetError(at);
    const reached = reach(this.reader, this.pod, host, port);
    if (!this.isBefore) return asOf(reached, at);
    if ('failure' in reached) return { address: reached.address ?? '10.96.0.1', name: host, text: '' };
    return port === undefined || at < (reached.since ?? 0) ? { failure: 'unknown host' } : { failure: 'refused', address: reached.address };
  }
}

/** At a moment that is over its host may not have been there yet, or nobody may have been ready. */
function asOf(reached: Reached, at: number): Reached {
  if ('failure' in reached) return reached;
  const { since = 0, readySince = 0, address } = reached;
  if (at < since) return { failure: 'unknown host' };
  return at < readySince ? { failure: 'refused', address } : reached;
}
