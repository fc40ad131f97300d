import { derivedId } from '#libs/kernel';

const known = new Map<string, { image: string; imageId: string }>();
const knownMax = 2_048;

/**
 * The image of a running container as containerd names it (registry, repository and tag in full) and its digest, which is a
 * function of the name: nothing is pulled.
 */
export function resolvedImage(reference: string): { image: string; imageId: string } {
  const found = known.get(reference);
  if (found) return found;
  if (known.size >= knownMax) known.clear();
  const resolved = resolve(reference);
  known.set(reference, resolved);
  return resolved;
}

function resolve(reference: string): { image: string; imageId: string } {
  const [named = '', digest] = reference.split('@') as [string, string | undefined];
  const lastSlash = named.lastIndexOf('/');
  const colon = named.indexOf(':', lastSlash + 1);
  const path = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const repository = qualified(path);
  const imageId = `${repository}@${digest ?? `sha256:${hexOf(`${repository}:${tag ?? 'latest'}`)}`}`;
  if (digest !== undefined && tag === undefined) return { image: imageId, imageId };
  return { image: `${repository}:${tag ?? 'latest'}`, imageId };
}

/** A first part with a dot or a port, or `localhost`, is a registry; without one it is Docker Hub's. */
function qualified(path: string): string {
  const slash = path.indexOf('/');
  const first = slash < 0 ? '' : path.slice(0, slash);
  if (first === 'localhost' || first.includes('.') || first.includes(':')) return path;
  return slash < 0 ? `docker.io/library/${path}` : `docker.io/${path}`;
}

/** 64 hexadecimal digits, a function of the name. */
export function hexOf(name: string): string {
  return `${derivedId(`${name}/0`)}${derivedId(`${name}/1`)}`.replaceAll('-', '');
}
