import type { KubeObject } from '#libs/kernel';

const nameLabel = 'kubernetes.io/metadata.name';

/** Every namespace carries its own name as a label, whatever the client says. */
export function withNameLabel(namespace: KubeObject): KubeObject {
  const { name, labels } = namespace.metadata;
  if (!name || labels?.[nameLabel] === name) return namespace;
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
}

/** A new namespace is Active and held by the namespace controller's finalizer. */
export function prepareNewNamespace(namespace: KubeObject): KubeObject {
  const finalizers: string[] = namespace.spec?.finalizers ?? [];
  const held = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
  return withNameLabel({ ...namespace, spec: { ...namespace.spec, finalizers: held }, status: { phase: 'Active' } });
}

/** Finalizers of the spec change through /finalize only. */
export function prepareNamespaceUpdate(updated: KubeObject, old: KubeObject): KubeObject {
  const spec = { ...updated.spec };
  delete spec.finalizers;
  if (old.spec?.finalizers) spec.finalizers = old.spec.finalizers;
  return withNameLabel({ ...updated, spec, status: old.status });
}
