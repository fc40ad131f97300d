import { conditionOf, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { amount, nodeInfoOf } from '../refusal-words';
import type { Story } from '../story';
import { amountWords, clockWords, counted, taintWords } from '../words';
import { actorOf, timeOf } from './gone';

/** `Ready, cordoned by admin at 12:44:22.838`, and how full it is. */
export function nodeStanding(node: KubeObject, state: ClusterState, story: Story): string[] {
  const ready = conditionOf(node, 'Ready');
  const words = ready?.status === 'True' ? 'Ready' : `NotReady${ready?.message ? `: ${ready.message}` : ''}`;
  const info = nodeInfoOf(node, state);
  const parts = ['cpu', 'memory'].map((resource) => {
    const [taken, most] = [amount(info.requested, resource), amount(info.allocatable, resource)];
    return `${amountWords(resource, taken)} of ${amountWords(resource, most)} ${resource === 'cpu' ? 'CPU' : resource}`;
  });
  const taints = info.taints.map(taintWords);
  return [
    `${words}${info.isUnschedulable ? `, ${cordoned(story)}` : ''}`,
    `${counted(info.pods.length, 'pod')} there, which request ${parts.join(' and ')}`,
    ...(taints.length > 0 ? [`taints: ${taints.join(', ')}`] : []),
  ];
}

/** A step of a change that is about `spec.unschedulable`, and not about the taint of that name. */
const schedulability = /"unschedulable"|"\/spec\/unschedulable"/;

/** By whom and when: the last change of the node's schedulability. */
function cordoned({ events }: Story): string {
  const change = events.findLast(({ type, data }) => type === 'Updated' && schedulability.test(JSON.stringify(data)));
  return change ? `cordoned by ${actorOf(change)} at ${clockWords(timeOf(change))}` : 'cordoned';
}
