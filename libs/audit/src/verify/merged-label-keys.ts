import { isObject, jsonEqual, type Json, type JsonObject, type KubeObject } from '#libs/kernel';

/**
 * The pod as it was asked for: without the requirements that its creation made of `matchLabelKeys` and `mismatchLabelKeys`. Asked for again
 * with them, it would be refused, as they name a key twice.
 */
export function beforeLabelKeys(pod: KubeObject): KubeObject {
  const labels = pod.metadata.labels ?? {};
  const { topologySpreadConstraints, affinity } = (pod.spec ?? {}) as { topologySpreadConstraints?: Json[]; affinity?: JsonObject };
  const spec = { ...pod.spec };
  if (topologySpreadConstraints) spec.topologySpreadConstraints = topologySpreadConstraints.map((term) => unmerged(term, labels));
  if (affinity) {
    const sides = ['podAffinity', 'podAntiAffinity'].filter((side) => isObject(affinity[side]));
    spec.affinity = { ...affinity, ...Object.fromEntries(sides.map((side) => [side, unmergedSide(affinity[side] as JsonObject, labels)])) };
  }
  return { ...pod, spec };
}

function unmergedSide(side: JsonObject, labels: Record<string, string>): JsonObject {
  const { requiredDuringSchedulingIgnoredDuringExecution: hard, preferredDuringSchedulingIgnoredDuringExecution: soft } = side;
  return {
    ...side,
    ...(Array.isArray(hard) ? { requiredDuringSchedulingIgnoredDuringExecution: hard.map((term) => unmerged(term, labels)) } : {}),
    ...(Array.isArray(soft)
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: soft.map((weighted) =>
            isObject(weighted) && weighted.podAffinityTerm !== undefined
              ? { ...weighted, podAffinityTerm: unmerged(weighted.podAffinityTerm, labels) }
              : weighted,
          ),
        }
      : {}),
  };
}

/** The requirements stand at the end, in the order of the keys. */
function unmerged(term: Json, labels: Record<string, string>): Json {
  if (!isObject(term) || !isObject(term.labelSelector)) return term;
  const { matchExpressions, ...selector } = term.labelSelector;
  const merged = [...requirements(term.matchLabelKeys, 'In', labels), ...requirements(term.mismatchLabelKeys, 'NotIn', labels)];
  if (merged.length === 0 || !Array.isArray(matchExpressions)) return term;
  const asked = matchExpressions.slice(0, matchExpressions.length - merged.length);
  if (!jsonEqual(matchExpressions.slice(asked.length), merged)) return term;
  return { ...term, labelSelector: asked.length > 0 ? { ...selector, matchExpressions: asked } : selector };
}

function requirements(keys: Json | undefined, operator: string, labels: Record<string, string>): JsonObject[] {
  const named = Array.isArray(keys) ? (keys as string[]) : [];
  return named.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] as string] }));
}
