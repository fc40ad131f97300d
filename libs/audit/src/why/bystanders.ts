import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector } from '#libs/kube-api';
import type { ObjectReference } from './story';

const nodeTypes = new Set(['PodDisruptionTargeted']);
const budgetTypes = new Set(['PodPreempted', 'PodDisruptionTargeted', 'EvictionRefused']);

/**
 * Events that concern a node or a budget without naming it: the state at their time says where the pod was and which labels it had.
 * @param cluster with the frame folded
 */
export function bystanderEvents(object: ObjectReference, frame: FoldedAppend, cluster: ClusterState): RecordedEvent[] {
  if (object.resource === 'nodes') {
    const told = frame.events.filter(({ type }) => nodeTypes.has(type));
    return told.length > 0 && frame.change?.object.spec?.nodeName === object.name ? told : [];
  }
  if (object.resource === 'poddisruptionbudgets.policy') {
    const told = frame.events.filter(({ type }) => budgetTypes.has(type));
    return told.filter((event) => isCovered(podOf(event, frame, cluster), object, cluster));
  }
  return [];
}

function podOf({ data }: RecordedEvent, { change }: FoldedAppend, cluster: ClusterState): KubeObject | undefined {
  return change?.object ?? cluster.get('pods', data.namespace as string | undefined, data.pod as string);
}

function isCovered(pod: KubeObject | undefined, { resource, namespace, name }: ObjectReference, cluster: ClusterState): boolean {
  const selector = cluster.get(resource, namespace, name)?.spec?.selector as never;
  if (!pod || pod.metadata.namespace !== namespace || !selector) return false;
  return compileObjectSelector(selector).matches(pod.metadata.labels);
}
