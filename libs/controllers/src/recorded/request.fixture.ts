import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { releaseKinds, type DeleteOptions, type UpdateRequest, type WriteRequest } from '#libs/kube-api';
import type { RecordedRequest } from './recording.fixture';

const pathForm =
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/;
const patchTypes: Record<string, 'json' | 'merge' | 'strategic'> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** The write that a recorded request asks for; undefined when it is for a kind that is not served here. */
export function writeOf({ method, path, query, contentType, body }: RecordedRequest): WriteRequest | undefined {
  const {
    core,
    group = '',
    version,
    namespace,
    resource,
    name = '',
    sub,
  } = (namespacesAsResource(path) ?? pathForm.exec(path))?.groups ?? {};
  const kind = releaseKinds.findResource(group, core ?? version ?? '', resource ?? '');
  if (!kind?.served) return undefined;
  const target = { resource: kind.groupResource, namespace, name };
  const parameters = new URLSearchParams(query ?? '');
  const dryRun = parameters.get('dryRun') === 'All';
  const object = body as unknown as KubeObject;
  if (sub === 'binding') return { verb: 'bind', target, node: String((body?.target as JsonObject | undefined)?.name) };
  if (sub === 'eviction')
    return { verb: 'evict', target, deleteOptions: deleteOptions(body?.deleteOptions as JsonObject, parameters), options: { dryRun } };
  const subresource = sub as UpdateRequest['subresource'];
  if (method === 'POST') return { verb: 'create', resource: kind.groupResource, namespace, object };
  if (method === 'PUT') return { verb: 'update', target, subresource, object };
  if (method === 'DELETE') return name ? { verb: 'delete', target, options: deleteOptions(body, parameters) } : undefined;
  // kubectl's own requests come without a content type; only its JSON patches are lists.
  const patchType = Array.isArray(body) ? 'json' : (patchTypes[contentType ?? ''] ?? 'strategic');
  return { verb: 'patch', target, subresource, patchType, patch: body as Json };
}

/** What a request deletes all of. */
export function collectionOf({ method, path }: RecordedRequest): { resource: string; namespace: string } | undefined {
  const { core, group = '', version, namespace, resource = '', name } = pathForm.exec(path)?.groups ?? {};
  if (method !== 'DELETE' || name || !namespace) return undefined;
  const kind = releaseKinds.findResource(group, core ?? version ?? '', resource);
  return kind?.served ? { resource: kind.groupResource, namespace } : undefined;
}

/** `/api/v1/namespaces/x` is the namespace itself. */
function namespacesAsResource(path: string): RegExpExecArray | null {
  return /^\/api\/(?<core>v1)\/(?<resource>namespaces)(?:\/(?<name>[^/]+))?$/.exec(path);
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
