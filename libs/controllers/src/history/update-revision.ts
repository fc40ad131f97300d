import type { ClusterState } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import type { KubeObject, OwnerReference } from '#libs/kernel';
import { controllerRevisions, numberOf, revisionOf, sameData } from './controller-revision';

export interface UpdateRevision {
  /** The revision of the owner's template; as it will be where a step is to be taken first. */
  revision: KubeObject;
  collisions: number;
  /** Makes it, or makes it the latest again. */
  step?: Step;
}

/**
 * The revision that an owner's template is (upstream `getStatefulSetRevisions`): the latest one, an earlier one that becomes the latest,
 * or a new one.
 * @param revisions of the owner, the oldest first
 * @param collisions so far
 */
export function updateRevisionOf(
  cluster: ClusterState,
  owner: KubeObject,
  ref: OwnerReference,
  revisions: readonly KubeObject[],
  collisions: number,
): UpdateRevision {
  const latest = revisions.at(-1);
  const number = latest ? numberOf(latest) + 1 : 1;
  let wanted = revisionOf(owner, ref, number, collisions);
  const equal = revisions.findLast((revision) => sameData(revision, wanted));
  if (equal && latest && sameData(equal, latest)) return { revision: latest, collisions };
  if (equal) return { revision: equal, collisions, step: renumbered(equal, number) };
  for (;;) {
    const { namespace, name } = wanted.metadata;
    const other = cluster.get(controllerRevisions, namespace, name);
    if (!other) break;
    if (sameData(other, wanted)) return { revision: other, collisions };
    wanted = revisionOf(owner, ref, number, ++collisions);
  }
  const { namespace } = wanted.metadata;
  const request = { verb: 'create', resource: controllerRevisions, namespace, object: wanted } as const;
  return { revision: wanted, collisions, step: { step: `create/${wanted.metadata.name}`, request } };
}

function renumbered(revision: KubeObject, number: number): Step {
  const { namespace, name, resourceVersion } = revision.metadata;
  const target = { resource: controllerRevisions, namespace, name };
  const patch = { metadata: { resourceVersion: resourceVersion as string }, revision: number };
  return { step: `renumber/${name}`, request: { verb: 'patch', target, patchType: 'merge', patch } };
}

/** Revisions that are in use by nobody, beyond the limit, oldest first: to be deleted. */
export function surplusRevisions(revisions: readonly KubeObject[], live: ReadonlySet<string>, limit: number): Step[] {
  const history = revisions.filter(({ metadata }) => !live.has(metadata.name));
  if (limit < 0) return [];
  return history.slice(0, Math.max(0, history.length - limit)).map(({ metadata: { namespace, name, uid } }) => {
    const target = { resource: controllerRevisions, namespace, name };
    return { step: `delete/${name}`, request: { verb: 'delete', target, options: { preconditions: { uid } } } };
  });
}
