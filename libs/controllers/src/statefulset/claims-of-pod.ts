import type { JsonObject, KubeObject } from '#libs/kernel';
import { podName } from './identity';

export const claims = 'persistentvolumeclaims';

interface ClaimTemplate {
  metadata: { name: string; labels?: Record<string, string> } & JsonObject;
  spec: JsonObject;
}

export function claimTemplates(set: KubeObject): ClaimTemplate[] {
  return (set.spec?.volumeClaimTemplates ?? []) as unknown as ClaimTemplate[];
}

export function claimName(set: KubeObject, template: ClaimTemplate, ordinal: number): string {
  return `${template.metadata.name}-${podName(set, ordinal)}`;
}

/** The claims of a pod of the set, as the set's templates say (upstream `getPersistentVolumeClaims`). */
export function claimsOfPod(set: KubeObject, ordinal: number): KubeObject[] {
  const { matchLabels } = (set.spec?.selector ?? {}) as { matchLabels?: Record<string, string> };
  return claimTemplates(set).map((template) => {
    const { status: _, ...rest } = template as unknown as JsonObject;
    const labels = { ...template.metadata.labels, ...matchLabels };
    const name = claimName(set, template, ordinal);
    const metadata = { ...template.metadata, name, namespace: set.metadata.namespace, labels };
    return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...rest, metadata } as unknown as KubeObject;
  });
}

/** Volumes of a pod with its claims in the place of those of the same name. */
export function volumesOf(set: KubeObject, ordinal: number, others: readonly JsonObject[]): JsonObject[] {
  const own = claimTemplates(set).map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...others.filter(({ name }) => !names.has(name as string))];
}
