import type { ClusterState } from '#libs/cluster-state';
import type { Chance, KubeObject, OwnerReference } from '#libs/kernel';

/** Generated names end in five characters, and names have 63 at most. */
const baseMax = 58;
/** Names tried before the last one is left to fail. */
const attemptsMax = 7;

/** A name nobody has yet: the owner's, a dash, five characters. */
export function generatedPodName(
  cluster: ClusterState,
  namespace: string,
  owner: string,
  taken: ReadonlySet<string>,
  chance: Chance,
  label: string,
): string {
  const base = `${owner}-`.slice(0, baseMax);
  let name = '';
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    name = `${base}${chance.suffix(`${label}/${attempt}`)}`;
    if (!taken.has(name) && !cluster.get('pods', namespace, name)) return name;
  }
  return name;
}

/** A pod as the template of its owner says. */
export function podFromTemplate(owner: KubeObject, ref: OwnerReference, name: string): KubeObject {
  const { template } = owner.spec;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata = {
    name,
    generateName: `${owner.metadata.name}-`,
    namespace: owner.metadata.namespace,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ownerReferences: [ref],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec } as unknown as KubeObject;
}
