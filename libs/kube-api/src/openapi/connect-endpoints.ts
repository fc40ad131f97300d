import type { ResourceKind, Subresource } from '../kinds/resource-kind';
import type { Endpoint, Operation } from './operation';
import { capital, idPrefix, scopeWord, tagOf } from './operation-ids';
import { connectQueries } from './parameters';

const remote: readonly Operation['method'][] = ['get', 'post'];
const proxied: readonly Operation['method'][] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** A subresource that a client connects to; undefined: it is no such thing. A proxy has another path behind its own. */
export function connectEndpoints(kind: ResourceKind, sub: Subresource, path: string): Endpoint[] | undefined {
  const query = connectQueries[sub.name];
  if (!query) return undefined;
  const { group, version } = kind;
  const isProxy = sub.name === 'proxy';
  const at = (place: string, suffix: string): Endpoint => ({
    path: place,
    group,
    version,
    operations: (isProxy ? proxied : remote).map((method) => ({
      tag: `${tagOf(group)}_${version}`,
      kind: { group: sub.group, version: sub.version, kind: sub.kind },
      method,
      operationId: `connect${idPrefix(kind)}${capital(method)}${scopeWord(kind)}${kind.kind}${capital(sub.name)}${suffix}`,
      action: 'connect',
      query,
      answers: 'anything',
    })),
  });
  return isProxy ? [at(path, ''), at(`${path}/{path}`, 'WithPath')] : [at(path, '')];
}
