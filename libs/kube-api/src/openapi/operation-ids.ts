import type { ResourceKind } from '../kinds/resource-kind';

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `rbacAuthorization`; `core` of the group without a name. */
export function tagOf(group: string): string {
  const [first = '', ...words] = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  return [first, ...words.map(capital)].join('');
}

/** `CoreV1`: what stands between verb and kind in the id of an operation. */
export function idPrefix({ group, version }: Pick<ResourceKind, 'group' | 'version'>): string {
  return `${capital(tagOf(group))}${capital(version)}`;
}

export function scopeWord({ namespaced }: Pick<ResourceKind, 'namespaced'>): string {
  return namespaced ? 'Namespaced' : '';
}
