import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { ChangeHistory, type VersionedChange } from './change-history';
import { ResourceTable } from './resource-table';

const named = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }) as KubeObject;

/** A table whose objects come one by one, and the history of that. */
function growing(changesMax: number): { history: ChangeHistory; now: ResourceTable; add: (position: number) => void } {
  const [now, history] = [new ResourceTable('configmaps'), new ChangeHistory('configmaps', 0, changesMax)];
  const add = (position: number): void => {
    const [key, object] = [`/m${position}`, named(`m${position}`)];
    now.set(key, object);
    history.push({ type: 'ADDED', position, key, before: undefined, object } as VersionedChange);
  };
  return { history, now, add };
}

const keys = (table: ResourceTable | undefined): string[] | undefined => table && [...table.objects.keys()];

describe('the latest changes of a resource', () => {
  it('give the table of each position that they reach back to', () => {
    const { history, now, add } = growing(4);
    for (let position = 1; position <= 6; position++) add(position);
    expect(history.completeSince).toBe(2);
    expect(history.tableAt(1)).toBeUndefined();
    expect(keys(history.tableAt(3)?.(now))).toEqual(['/m1', '/m2', '/m3']);
    expect(history.tableAt(6)?.(now)).toBe(now);
  });

  it('give it also to whoever has asked before they were forgotten', () => {
    const { history, now, add } = growing(4);
    add(1);
    const atOne = history.tableAt(1);
    for (let position = 2; position <= 40; position++) add(position);
    history.forget(39);
    expect(history.tableAt(1)).toBeUndefined();
    expect(keys(atOne?.(now))).toEqual(['/m1']);
  });
});
