import { objectStream } from '#libs/events';
import { CliError } from '../cli-error';

/** What a user may call a resource by: plural, singular, short name, kind; matched against what the server knows. */
export interface ObjectName {
  resource: string;
  namespace: string | undefined;
  name: string;
}

/**
 * `pod/web-0`, `deploy/shop/web`, `node/node-1`, `priorityclass/high`.
 * @throws CliError naming the word that is not understood.
 */
export async function parseObjectName(text: string, defaultNamespace = 'default'): Promise<ObjectName> {
  const { releaseKinds } = await import('#libs/kube-api');
  const parts = text.split('/');
  const [word = '', ...rest] = parts;
  const wanted = word.toLowerCase();
  const kind = releaseKinds.all.find(
    (candidate) =>
      candidate.served && [candidate.resource, candidate.singular, candidate.groupResource, ...candidate.shortNames].includes(wanted),
  );
  // Of custom kinds, which a name alone tells nothing of, only the whole name of the resource is known.
  if (!kind && /^[a-z0-9-]+\.[a-z0-9.-]+$/.test(wanted)) return customObject(wanted, rest, text, defaultNamespace);
  if (!kind)
    throw new CliError(`"${word}" is no kind kubereel knows`, 'Write KIND/NAME, e.g. pod/web-0 or deploy/shop/web, or a name alone.', 2);
  if (!kind.namespaced && rest.length === 1) return { resource: kind.storage, namespace: undefined, name: rest[0] as string };
  if (kind.namespaced && rest.length === 1) return { resource: kind.storage, namespace: defaultNamespace, name: rest[0] as string };
  if (kind.namespaced && rest.length === 2) return { resource: kind.storage, namespace: rest[0], name: rest[1] as string };
  throw new CliError(`"${text}" names no object`, kind.namespaced ? 'Write KIND/NAME or KIND/NAMESPACE/NAME.' : 'Write KIND/NAME.', 2);
}

/** `widgets.example.com/w`, `widgets.example.com/NAMESPACE/w`; with an empty namespace one that has none. */
function customObject(resource: string, rest: readonly string[], text: string, defaultNamespace: string): ObjectName {
  if (rest.length === 1) return { resource, namespace: defaultNamespace, name: rest[0] as string };
  if (rest.length === 2) return { resource, namespace: rest[0] || undefined, name: rest[1] as string };
  throw new CliError(`"${text}" names no object`, 'Write RESOURCE.GROUP/NAME or RESOURCE.GROUP/NAMESPACE/NAME.', 2);
}

export function streamOf(cluster: string, { resource, namespace, name }: ObjectName): string {
  return objectStream(cluster, resource, namespace, name);
}
