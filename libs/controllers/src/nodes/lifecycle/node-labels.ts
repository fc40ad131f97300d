import type { KubeObject } from '#libs/kernel';

/** Labels of earlier releases that say what the present ones say (upstream `labelReconcileInfo`). */
const mirrored = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** The node with its older labels in step with the present ones; the same object when they are. */
export function withMirroredLabels(node: KubeObject): KubeObject {
  const { labels } = node.metadata;
  if (!labels) return node;
  const wrong = mirrored.filter(([present, older]) => labels[present] !== undefined && labels[older] !== labels[present]);
  if (wrong.length === 0) return node;
  const mended = Object.fromEntries(wrong.map(([present, older]) => [older, labels[present] as string]));
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...mended } } };
}
