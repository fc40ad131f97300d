import type { Origin } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import type { Failure } from '#libs/kube-api';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import type { ResourceRequest } from '../reading/resource-request';
import type { Query } from '../request-info/query';

/** What webhooks and policies have against a connection; undefined: nothing. */
export async function admitConnection(request: ResourceRequest, writer: ObjectWriter, origin: Origin): Promise<Failure | undefined> {
  const { kind, namespace, name = '', subresource = '', query } = request;
  const target = { resource: kind.storage, namespace: namespace || undefined, name };
  const options = connectOptions(subresource, query);
  const result = await writer.write({ verb: 'connect', target, subresource, options }, origin);
  return result.kind === 'refused' ? (result.status as Failure) : undefined;
}

const streams = ['stdin', 'stdout', 'stderr', 'tty'] as const;

/** `PodExecOptions`, `PodAttachOptions`, `PodPortForwardOptions`, or options of a proxy, as Go writes them. */
function connectOptions(subresource: string, query: Query): JsonObject {
  if (subresource === 'portforward') {
    const ports = query.all('ports').flatMap((text) => text.split(',').map(Number));
    return ports.length > 0 ? { ports } : {};
  }
  if (subresource === 'proxy') return query.text('path') === '' ? {} : { path: query.text('path') };
  const options: JsonObject = {};
  for (const stream of streams) if (query.flag(stream)) options[stream] = true;
  if (query.text('container') !== '') options['container'] = query.text('container');
  if (subresource === 'exec') options['command'] = query.has('command') ? [...query.all('command')] : null;
  return options;
}
