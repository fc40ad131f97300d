import type { JsonObject, KubeObject, OwnerReference } from '#libs/kernel';
import { canonicalJson } from '../loop/canonical-json';
import { safeText } from '../loop/safe-text';

export const controllerRevisions = 'controllerrevisions.apps';
export const revisionHashLabel = 'controller.kubernetes.io/hash';
/** Names have 253 characters, the hash ten, and a dash. */
const ownerNameMax = 223;

/**
 * What an owner's template is, as a ControllerRevision that brings it back (upstream `history.NewControllerRevision`).
 * @param number of the revision: the higher, the later
 * @param collisions names that other templates had already
 */
export function revisionOf(owner: KubeObject, ref: OwnerReference, number: number, collisions: number): KubeObject {
  const template = owner.spec.template as JsonObject;
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  const hash = revisionHash(data, collisions);
  const { name, namespace, annotations } = owner.metadata;
  const { labels } = (template.metadata ?? {}) as { labels?: Record<string, string> };
  const metadata = {
    name: `${name.slice(0, ownerNameMax)}-${hash}`,
    namespace,
    labels: { ...labels, [revisionHashLabel]: hash },
    ...(annotations ? { annotations } : {}),
    ownerReferences: [ref],
  };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data, revision: number } as unknown as KubeObject;
}

/** FNV-1, 32 bits, of the data as Go writes it, and of the collisions (upstream `HashControllerRevision`). */
export function revisionHash(data: JsonObject, collisions: number): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${asGoWrites(canonicalJson(data))}${collisions}`)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeText(hash >>> 0);
}

/** Go's encoder keeps JSON out of the way of HTML. */
function asGoWrites(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The template that a revision brings back. */
export function templateOf(revision: KubeObject): JsonObject {
  const { $patch: _, ...template } = (revision.data as { spec: { template: JsonObject } }).spec.template;
  return template;
}

export function sameData(a: KubeObject, b: KubeObject): boolean {
  return canonicalJson(a.data) === canonicalJson(b.data);
}

export function numberOf(revision: KubeObject): number {
  return revision.revision as number;
}

/** The oldest first; of the same number, by creation and then by name. */
export function inOrder(revisions: readonly KubeObject[]): KubeObject[] {
  const created = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  const order = (a: string, b: string): number => Number(a > b) - Number(a < b);
  return revisions.toSorted(
    (a, b) => numberOf(a) - numberOf(b) || order(created(a), created(b)) || order(a.metadata.name, b.metadata.name),
  );
}
