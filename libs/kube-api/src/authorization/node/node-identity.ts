import type { User } from '../attributes';

const prefix = 'system:node:';
const group = 'system:nodes';

/** The node that a user is: its name, empty where it cannot be told; undefined for whoever is no node (upstream `nodeidentifier`). */
export function nodeOf({ name, groups }: User): string | undefined {
  if (!name.startsWith(prefix) || !groups.includes(group)) return undefined;
  return name.slice(prefix.length);
}
