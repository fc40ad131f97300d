import type { ResourceKind } from '../kinds/resource-kind';
import { definition } from '../schema';
import type { Endpoint, Operation } from './operation';
import { idPrefix, scopeWord, tagOf } from './operation-ids';
import { listQuery, pretty } from './parameters';

/** Paths with `watch` in them, which say the same as the parameter of lists. */
export function watchEndpoints(kind: ResourceKind, base: string): Endpoint[] {
  if (!kind.verbs.includes('watch')) return [];
  const { group, version, resource } = kind;
  const prefix = `watch${idPrefix(kind)}`;
  const scoped = scopeWord(kind);
  const at = (path: string, operationId: string, action: string): Endpoint => {
    const operation: Operation = {
      tag: `${tagOf(group)}_${version}`,
      kind: { group, version, kind: kind.kind },
      method: 'get',
      operationId,
      action,
      query: [...listQuery, pretty],
      answers: 'list',
      result: definition('meta.v1.WatchEvent'),
    };
    return { path, group, version, operations: [operation] };
  };
  const place = kind.namespaced ? `${base}/watch/namespaces/{namespace}/${resource}` : `${base}/watch/${resource}`;
  const all = [at(place, `${prefix}${scoped}${kind.kind}List`, 'watchlist')];
  if (kind.verbs.includes('get')) all.push(at(`${place}/{name}`, `${prefix}${scoped}${kind.kind}`, 'watch'));
  if (kind.namespaced) all.push(at(`${base}/watch/${resource}`, `${prefix}${kind.kind}ListForAllNamespaces`, 'watchlist'));
  return all;
}
