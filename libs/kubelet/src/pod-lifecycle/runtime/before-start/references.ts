import type { ClusterState } from '#libs/cluster-state';
import { goQuote } from '#libs/kube-api';
import { parseTime, type KubeObject } from '#libs/kernel';

/** What stands in the place of a value that a pod refers to: as it is now, and since when it can be there (ms; the second in which its object was made). */
export interface Found {
  error?: string;
  since: number;
}

export const nothingNeeded: Found = { since: 0 };

/** The ConfigMap that every namespace is given when it is made: nobody waits for it. */
const givenConfigMap = 'kube-root-ca.crt';

interface Reference {
  name?: string;
  optional?: boolean;
}

/** Reads what pods of a namespace refer to. */
export class References {
  constructor(
    private readonly cluster: ClusterState,
    private readonly namespace: string,
  ) {}

  /** The object as a whole. @param what `configmap` or `secret` */
  object(what: 'configmap' | 'secret', { name = '', optional }: Reference): Found & { object?: KubeObject } {
    if (what === 'configmap' && name === givenConfigMap) return nothingNeeded;
    const object = this.cluster.get(`${what}s`, this.namespace, name);
    if (object) return { since: parseTime(object.metadata.creationTimestamp) ?? 0, object };
    return optional ? nothingNeeded : { since: 0, error: `${what} ${goQuote(name)} not found` };
  }

  /** One key of it, as an environment variable asks for it. */
  key(what: 'configmap' | 'secret', reference: Reference & { key?: string }): Found {
    const found = this.object(what, reference);
    if (!found.object || reference.optional || Object.hasOwn((found.object.data ?? {}) as object, reference.key ?? '')) return found;
    const kind = what === 'configmap' ? 'ConfigMap' : 'Secret';
    return { since: 0, error: `couldn't find key ${reference.key} in ${kind} ${this.namespace}/${reference.name}` };
  }

  /** What a volume takes from it: all, or the keys that it lists. */
  items(what: 'configmap' | 'secret', reference: Reference & { items?: { key: string }[] }): Found {
    const found = this.object(what, reference);
    const { object } = found;
    if (!object || reference.optional) return found;
    const missing = reference.items?.find(({ key }) => !hasKey(object, key));
    if (!missing) return found;
    const text = what === 'configmap' ? 'configmap references non-existent config key: ' : 'references non-existent secret key: ';
    return { since: 0, error: `${text}${missing.key}` };
  }
}

function hasKey({ data, binaryData }: KubeObject, key: string): boolean {
  return [data, binaryData].some((map) => map !== undefined && Object.hasOwn(map as object, key));
}

/** Everything that is needed: the first error, or since when the last of it is there. */
export function allOf(found: Iterable<Found>): Found {
  let since = 0;
  for (const each of found) {
    if (each.error !== undefined) return each;
    since = Math.max(since, each.since);
  }
  return { since };
}
