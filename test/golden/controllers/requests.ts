// Requests of a recording as writes of the play.
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import type { DeleteOptions, KindCatalogue, UpdateRequest, WriteRequest } from '#libs/kube-api';
import type { RecordedRequest } from './recording';

const forms = [
  /^\/api\/(?<core>v1)\/(?<resource>namespaces)(?:\/(?<name>[^/]+))?(?:\/(?<sub>finalize|status))?$/,
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/,
];
const patchTypes: Readonly<Record<string, 'json' | 'merge' | 'strategic'>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** What is asked: one write, or that all of a collection be deleted; undefined: of a kind that is not there. */
export function writeOf(
  { method, path, query, contentType, body }: RecordedRequest,
  kinds: KindCatalogue,
): WriteRequest | { collection: { resource: string; namespace: string } } | undefined {
  const groups = forms.map((form) => form.exec(path)?.groups).find((found) => found !== undefined);
  const { core, group = '', version = '', namespace, resource = '', name = '', sub } = groups ?? {};
  const kind = kinds.findResource(group, core ?? version, resource);
  if (!kind?.served) return undefined;
  const target = { resource: kind.groupResource, namespace, name };
  const parameters = new URLSearchParams(query ?? '');
  const object = body as unknown as KubeObject;
  if (sub === 'binding') return { verb: 'bind', target, node: String((body?.target as JsonObject | undefined)?.name) };
  if (sub === 'eviction') {
    const dryRun = parameters.get('dryRun') === 'All';
    return { verb: 'evict', target, deleteOptions: deleteOptions(body?.deleteOptions as JsonObject, parameters), options: { dryRun } };
  }
  const subresource = sub as UpdateRequest['subresource'];
  // What the recorder itself created goes by a verb of its own there.
  if (method === 'POST' || method === 'CREATE') return { verb: 'create', resource: kind.groupResource, namespace, object };
  if (method === 'PUT') return { verb: 'update', target, subresource, object };
  if (method === 'DELETE') {
    if (name !== '') return { verb: 'delete', target, options: deleteOptions(body, parameters) };
    return namespace === undefined ? undefined : { collection: { resource: kind.groupResource, namespace } };
  }
  // kubectl's own requests come without a content type; only its JSON patches are lists.
  const patchType = Array.isArray(body) ? 'json' : (patchTypes[contentType ?? ''] ?? 'strategic');
  return { verb: 'patch', target, subresource, patchType, patch: body as Json };
}

function deleteOptions(body: JsonObject | undefined, parameters: URLSearchParams): DeleteOptions {
  const grace = parameters.get('gracePeriodSeconds');
  const policy = parameters.get('propagationPolicy');
  return {
    ...(body as DeleteOptions | undefined),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy as DeleteOptions['propagationPolicy'] }),
  };
}
