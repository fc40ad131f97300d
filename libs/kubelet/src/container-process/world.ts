import type { GroupResource, KubeObject } from '#libs/kernel';
import { reach, type Reached } from './network';

/** The objects of a cluster, as of one moment. */
export interface ClusterReader {
  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: GroupResource, namespace?: string): Iterable<KubeObject>;
}

/** What reaches into a container from outside its pod's spec: the objects of the cluster, and whether anybody looked at them. */
export class World {
  /** A program has looked at something: what it does may be another thing at another time. */
  hasLooked = false;
  /** It has read a Secret. */
  hasReadSecret = false;
  /** As it was before: what is reached now was not, and the other way round. */
  isBefore = false;

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

  /** Who answers at a host's port. @param at the moment of asking, ms since the epoch */
  reach(host: string, port: number | undefined, at: number): Reached {
    this.hasLooked = true;
    const reached = reach(this.reader, this.pod, host, port);
    if (!this.isBefore) return reached;
    if ('failure' in reached) return { address: reached.address ?? '10.96.0.1', name: host, text: '' };
    return port === undefined || at < (reached.since ?? 0) ? { failure: 'unknown host' } : { failure: 'refused', address: reached.address };
  }
}
