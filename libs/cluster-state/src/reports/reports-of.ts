import type { RecordedEvent } from '#libs/event-log';
import type { ClusterState, FoldedAppend } from '../cluster-state';
import { registered } from './node-reports';
import { failedScheduling, podReports, schedulerOf } from './pod-reports';
import type { Report, ReportContext } from './report';
import type { ReporterMemory } from './reporter-memory';

interface Attempt {
  namespace: string;
  pod: string;
  uid: string;
  outcome: string;
  message?: string;
}

function attempted(event: RecordedEvent, cluster: ClusterState, memory: ReporterMemory): Report[] {
  const { namespace, pod: name, uid, outcome, message } = event.data as unknown as Attempt;
  const pod = cluster.get('pods', namespace, name);
  const known = pod?.metadata.uid === uid ? pod : undefined;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion: known?.metadata.resourceVersion };
  if (outcome === 'skipped')
    return [failedScheduling(regarding, schedulerOf(known), message ?? `skip schedule deleting pod: ${namespace}/${name}`)];
  const text = message ?? memory.message(uid);
  if (!text) return [];
  memory.setMessage(uid, text);
  return [failedScheduling(regarding, schedulerOf(known), text)];
}

function reported(event: RecordedEvent, cluster: ClusterState, context: ReportContext): Report[] {
  const { resource, namespace, name, uid, type, reason, message, component, fieldPath } = event.data as Record<string, string>;
  const { count, annotations } = event.data as Pick<Report, 'count' | 'annotations'>;
  const kind = context.kindOf(resource as string);
  if (!kind) return [];
  const object = cluster.get(resource as string, namespace, name as string);
  const host = component === 'kubelet' ? (object?.spec?.nodeName ?? (resource === 'nodes' ? name : undefined)) : undefined;
  // Nodes are named by those who know no version of them.
  const isKnown = resource !== 'nodes' && object?.metadata.uid === uid;
  const resourceVersion = isKnown ? object?.metadata.resourceVersion : undefined;
  const regarding = { ...kind, namespace, name: name as string, uid: uid as string, resourceVersion, ...(fieldPath ? { fieldPath } : {}) };
  return [
    {
      regarding,
      type: type as Report['type'],
      reason: reason as string,
      message: message as string,
      component: component as string,
      host,
      ...(count === undefined ? {} : { count }),
      ...(annotations ? { annotations } : {}),
    },
  ];
}

/** What one event of an append tells the owners of its objects. */
export function reportsOf(
  event: RecordedEvent,
  append: FoldedAppend,
  cluster: ClusterState,
  memory: ReporterMemory,
  context: ReportContext,
): Report[] {
  if (event.type === 'SchedulingAttempted') return attempted(event, cluster, memory);
  if (event.type === 'Reported') return reported(event, cluster, context);
  const { change } = append;
  if (change?.type === 'DELETED') memory.forget(change.object.metadata.uid);
  if (change?.resource === 'nodes') return registered(change, event);
  if (change?.resource !== 'pods') return [];
  // Whoever reports has not seen its own write yet: it names the object as it was before.
  return podReports[event.type]?.(change.before ?? change.object, event, cluster) ?? [];
}
