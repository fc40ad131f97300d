import { formatTime, type KubeObject } from '#libs/kernel';

interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

/** What each condition says when all is well, in the order in which they are written. */
const well: readonly Omit<NamespaceCondition, 'status'>[] = [
  { type: 'NamespaceDeletionDiscoveryFailure', reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  { type: 'NamespaceContentRemaining', reason: 'ContentRemoved', message: 'All content successfully removed' },
  { type: 'NamespaceFinalizersRemaining', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
];

/** What is left of a namespace's content. */
export interface Remains {
  /** Objects by resource, as texts name it (`configmaps.`, `deployments.apps`). */
  resources: ReadonlyMap<string, number>;
  /** Objects by the finalizers that hold them. */
  finalizers: ReadonlyMap<string, number>;
}

/** Conditions of a namespace that is being emptied; unchanged ones are left as they are. */
export function deletionConditions(namespace: KubeObject, remains: Remains | undefined, now: number): NamespaceCondition[] {
  const present = (namespace.status?.conditions ?? []) as NamespaceCondition[];
  const result = [...present];
  for (const fine of well) {
    const wanted = problemOf(fine.type, remains) ?? { ...fine, status: 'False' };
    const place = result.findIndex(({ type }) => type === wanted.type);
    const old = result[place];
    if (old && old.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) continue;
    const { type, status, reason, message } = wanted;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(now);
    const condition = { type, status, lastTransitionTime, reason, message };
    if (place < 0) result.push(condition);
    else result[place] = condition;
  }
  return result;
}

function problemOf(type: string, remains: Remains | undefined): NamespaceCondition | undefined {
  if (!remains) return undefined;
  if (type === 'NamespaceContentRemaining' && remains.resources.size > 0) {
    const message = `Some resources are remaining: ${counts(remains.resources, 'has')}`;
    return { type, status: 'True', reason: 'SomeResourcesRemain', message };
  }
  if (type === 'NamespaceFinalizersRemaining' && remains.finalizers.size > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${counts(remains.finalizers, 'in')}`;
    return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
  }
  return undefined;
}

function counts(numbers: ReadonlyMap<string, number>, word: string): string {
  return [...numbers]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ');
}
