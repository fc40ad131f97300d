import { jsonEqual, type KubeObject } from '#libs/kernel';
import { uncovered } from '../rbac/covers';
import { autoupdateAnnotation, type AggregationRule, type Binding, type Role, type Subject } from './read-policy';

/** What becomes of an object that is there. */
export type Reconciled = { kind: 'none' } | { kind: 'update'; object: KubeObject } | { kind: 'recreate'; object: KubeObject };

const none: Reconciled = { kind: 'none' };

/** What an object of the cluster's policy needs that is there (upstream's hook `rbac/bootstrap-roles`). */
export function reconciled(existing: KubeObject, expected: Role | Binding): Reconciled {
  return 'roleRef' in expected
    ? reconciledBinding(existing as Binding, expected as Binding)
    : reconciledRole(existing as Role, expected as Role);
}

/** A role keeps what it has and gets what it lacks, unless somebody has said that it is to stay as it is (upstream `computeReconciledRole`). */
function reconciledRole(existing: Role, expected: Role): Reconciled {
  if (isProtected(existing)) return none;
  const rules = existing.rules ?? [];
  // At most starts nothing has changed.
  const missing = jsonEqual(rules as never, (expected.rules ?? []) as never) ? [] : uncovered(rules, expected.rules ?? []);
  const aggregation = withSelectors(existing.aggregationRule, expected.aggregationRule);
  const { aggregationRule: _, ...rest } = existing;
  const object = {
    ...rest,
    metadata: withNamed(existing, expected),
    ...(missing.length > 0 ? { rules: [...rules, ...missing] } : {}),
    ...(aggregation ? { aggregationRule: aggregation } : {}),
  } as Role;
  return jsonEqual(object, existing) ? none : { kind: 'update', object };
}

/** What a binding gives is for life: one that gives something else is made anew. Subjects that it lacks are added. */
function reconciledBinding(existing: Binding, expected: Binding): Reconciled {
  if (isProtected(existing)) return none;
  if (!jsonEqual(existing.roleRef, expected.roleRef)) return { kind: 'recreate', object: expected };
  const subjects = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((subject) => !subjects.some((known) => isSame(known, subject)));
  const object = {
    ...existing,
    metadata: withNamed(existing, expected),
    ...(missing.length > 0 ? { subjects: [...subjects, ...missing] } : {}),
  };
  return jsonEqual(object, existing) ? none : { kind: 'update', object };
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[autoupdateAnnotation] === 'false';
}

/** With the labels and annotations that are expected, where the object does not have others by these names. */
function withNamed(existing: KubeObject, expected: KubeObject): KubeObject['metadata'] {
  const { labels, annotations } = existing.metadata;
  return {
    ...existing.metadata,
    labels: { ...expected.metadata.labels, ...labels },
    annotations: { ...expected.metadata.annotations, ...annotations },
  };
}

/** Undefined: it gathers nothing. */
function withSelectors(existing: AggregationRule | undefined, expected: AggregationRule | undefined): AggregationRule | undefined {
  if (!expected) return undefined;
  const selectors = existing?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter((selector) => !selectors.some((known) => jsonEqual(known, selector)));
  return missing.length === 0 ? existing : { ...existing, clusterRoleSelectors: [...selectors, ...missing] };
}

function isSame(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.apiGroup ?? '') === (b.apiGroup ?? '') && (a.namespace ?? '') === (b.namespace ?? '');
}
