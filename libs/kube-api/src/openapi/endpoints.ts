import { groupVersionPath } from '../kinds/names';
import { isSubresourceServed } from '../kinds/resource-kind';
import type { BodyKind, ResourceKind, Subresource } from '../kinds/resource-kind';
import { definition } from '../schema';
import type { Definition } from '../schema';
import { connectEndpoints } from './connect-endpoints';
import type { Endpoint, Operation } from './operation';
import { capital, idPrefix, scopeWord, tagOf } from './operation-ids';
import { deleteCollectionQuery, deleteQuery, listQuery, logQuery, patchQuery, pretty, writeQuery } from './parameters';
import { watchEndpoints } from './watch-endpoints';

/** Every path of the kinds: collections, objects, then the older way of watching them. */
export function endpoints(kinds: readonly ResourceKind[]): Endpoint[] {
  return kinds
    .flatMap((kind) => {
      const base = groupVersionPath(kind.group, kind.version);
      return [...collectionEndpoints(kind, base), ...objectEndpoints(kind, base), ...watchEndpoints(kind, base)];
    })
    .filter(({ operations }) => operations.length > 0);
}

type Common = Pick<Operation, 'tag' | 'kind' | 'isCustom'>;

function commonOf(kind: ResourceKind): Common {
  const { group, version } = kind;
  const common = { tag: `${tagOf(group)}_${version}`, kind: { group, version, kind: kind.kind } };
  return kind.form ? { ...common, isCustom: true } : common;
}

function collectionEndpoints(kind: ResourceKind, base: string): Endpoint[] {
  const { group, version, verbs } = kind;
  const prefix = idPrefix(kind);
  const scoped = scopeWord(kind);
  const common = commonOf(kind);
  const list: Operation | undefined = verbs.includes('list')
    ? {
        ...common,
        method: 'get',
        operationId: `list${prefix}${scoped}${kind.kind}`,
        action: 'list',
        query: [...listQuery, pretty],
        answers: 'list',
        result: kind.form?.documents.list ?? kind.listSchema,
      }
    : undefined;
  const operations: Operation[] = list ? [list] : [];
  if (verbs.includes('create')) {
    const operationId = `create${prefix}${scoped}${kind.kind}`;
    const own = lookOf(kind);
    operations.push({ ...common, method: 'post', operationId, action: 'post', query: [...writeQuery, pretty], body: own, result: own });
  }
  if (verbs.includes('deletecollection')) {
    operations.push({
      ...common,
      method: 'delete',
      operationId: `delete${prefix}Collection${scoped}${kind.kind}`,
      action: 'deletecollection',
      query: [...deleteCollectionQuery, pretty],
      body: definition('meta.v1.DeleteOptions'),
      result: definition('meta.v1.Status'),
    });
  }
  const path = kind.namespaced ? `${base}/namespaces/{namespace}/${kind.resource}` : `${base}/${kind.resource}`;
  const out: Endpoint[] = [{ path, group, version, operations }];
  if (kind.namespaced && list) {
    const everywhere = { ...list, operationId: `list${prefix}${kind.kind}ForAllNamespaces` };
    out.push({ path: `${base}/${kind.resource}`, group, version, operations: [everywhere] });
  }
  return out;
}

const methods: Readonly<Record<string, { method: Operation['method']; word: string }>> = {
  get: { method: 'get', word: 'read' },
  update: { method: 'put', word: 'replace' },
  create: { method: 'post', word: 'create' },
  delete: { method: 'delete', word: 'delete' },
  patch: { method: 'patch', word: 'patch' },
};

function objectEndpoints(kind: ResourceKind, base: string): Endpoint[] {
  const { group, version } = kind;
  const path = `${base}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.resource}/{name}`;
  const at = (verbs: readonly string[], sub?: Subresource): Operation[] =>
    verbs.map((verb) => operation(kind, verb, sub)).filter((found): found is Operation => found !== undefined);
  const objects: Endpoint = { path, group, version, operations: at(kind.verbs) };
  const served = kind.subresources.filter((sub) => isSubresourceServed(kind, sub.name));
  return [
    objects,
    ...served.flatMap((sub): Endpoint[] => {
      const below = `${path}/${sub.name}`;
      return connectEndpoints(kind, sub, below) ?? [{ path: below, group, version, operations: at(sub.verbs, sub) }];
    }),
  ];
}

function operation(kind: ResourceKind, verb: string, sub: Subresource | undefined): Operation | undefined {
  const found = methods[verb];
  if (!found || (verb === 'create' && !sub)) return undefined;
  const { method, word } = found;
  const isLog = sub?.name === 'log';
  const gvk = { group: sub?.group ?? kind.group, version: sub?.version ?? kind.version, kind: sub?.kind ?? kind.kind };
  const own = lookOf(sub ?? kind);
  const queries = { get: isLog ? logQuery : [], delete: deleteQuery, patch: patchQuery };
  return {
    ...commonOf(kind),
    kind: gvk,
    method,
    operationId: `${word}${idPrefix(kind)}${scopeWord(kind)}${kind.kind}${sub ? capital(sub.name) : ''}`,
    action: method,
    query: [...(queries[verb as keyof typeof queries] ?? writeQuery), pretty],
    body: bodyOf(verb, own),
    ...(isLog ? { answers: 'text' } : {}),
    result: isLog ? undefined : verb === 'delete' && !kind.deletionReturnsObject ? definition('meta.v1.Status') : own,
  };
}

function lookOf({ form, schema }: BodyKind): Definition | undefined {
  return form?.documents.object ?? schema;
}

function bodyOf(verb: string, own: Definition | undefined): Operation['body'] {
  if (verb === 'patch') return 'patch';
  if (verb === 'delete') return definition('meta.v1.DeleteOptions');
  return verb === 'get' ? undefined : own;
}
