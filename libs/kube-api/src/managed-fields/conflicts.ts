import { failure, type Failure } from '../status';
import { showPath } from './path-element';
import type { FieldPath, FieldSet } from './field-set';
import { identityOf, type ManagerEntry } from './managers';

/** A field that an apply would change and another manager owns. */
export interface Conflict {
  readonly entry: ManagerEntry;
  readonly path: FieldPath;
}

/** Conflicts manager by manager, in the order in which messages name them. @param sets what each of them would lose */
export function conflictsOf(sets: readonly (readonly [ManagerEntry, FieldSet])[]): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [entry, set] of [...sets].sort(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1))) {
    set.each((path) => void conflicts.push({ entry, path }));
  }
  return conflicts;
}

/** Upstream sorts by the JSON that identifies a manager. */
function sortKey({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  return JSON.stringify({
    manager: manager === '' ? undefined : manager,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource,
  });
}

export function refuseConflicts(conflicts: readonly Conflict[]): Failure {
  const causes = conflicts.map(({ entry, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${showManager(entry)}`,
    field: showPath(path),
  }));
  return failure(409, 'Conflict', messageOf(conflicts), { causes });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${showManager(first.entry)}: ${showPath(first.path)}`;
  const lines: string[] = [];
  let last: string | undefined;
  for (const { entry, path } of conflicts) {
    const id = identityOf(entry);
    if (id !== last) lines.push(`conflicts with ${showManager(entry)}:`);
    lines.push(`- ${showPath(path)}`);
    last = id;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function showManager({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const named = `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}
