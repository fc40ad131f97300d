import type { RecordedEvent } from '#libs/event-log';
import { parseStream, type VictimReference } from '#libs/events';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Data = any;

/** One event in a sentence; undefined for those that say nothing a reader of the story needs. */
export function describeEvent(event: RecordedEvent, cluster: string): string | undefined {
  const describe = descriptions[event.type];
  const subject = parseStream(cluster, event.stream);
  const about = subject?.kind === 'object' ? `${subject.resource} ${subject.namespace ? `${subject.namespace}/` : ''}${subject.name}` : '';
  if (describe) return describe(event.data, about);
  if (event.type === 'StatusUpdated') return undefined;
  return `${about} ${spaced(event.type)}`.trim();
}

function spaced(type: string): string {
  return type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function paths(data: Data): string {
  const changes = (data.changes ?? []) as { p: (string | number)[] }[];
  const names = changes.map(({ p }) => p.join('.'));
  return names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
}

const descriptions: Record<string, (data: Data, about: string) => string | undefined> = {
  Created: (_data, about) => `${about} created`,
  Updated: (data, about) => `${about} changed: ${paths(data)}`,
  DeletionRequested: (data, about) => `${about} to be deleted${data.gracePeriodSeconds ? `, with ${data.gracePeriodSeconds} s grace` : ''}`,
  Deleted: (_data, about) => `${about} gone`,
  PodAdmissionRequested: (data) =>
    data.priorityClassName ? `asks for PriorityClass ${data.priorityClassName}` : 'asks for no PriorityClass',
  PodAdmitted: (data) =>
    `admitted with priority ${data.priority}${data.priorityClassName ? ` (${data.priorityClassName})` : ''}, ${data.preemptionPolicy}`,
  PodRejected: (data) => `rejected: ${data.status?.message}`,
  PodScheduled: (data) => `bound to ${data.node}`,
  PodSchedulingFailed: (data) => `could not be scheduled: ${data.message}`,
  PodNominated: (data) => `nominated to ${data.node}`,
  PodNominationCleared: () => 'loses its nomination',
  PodPreempted: (data, about) => `${about} preempted on ${data.node} by ${data.preemptor}`,
  PodDisruptionTargeted: (data) => `to be disrupted: ${data.reason}: ${data.message}`,
  SchedulingAttempted: (data) => attempted(data),
  ExtenderAsked: (data) => `asks the extender at ${data.url}${data.node === undefined ? '' : ` to bind it to ${data.node}`}`,
  ExtenderAnswered: (data) =>
    data.answer?.error === undefined ? 'the extender answered' : `the extender gave no answer: ${data.answer.error}`,
  BindingRefused: (data) => `not bound to ${data.node}: the pod was gone or going by then`,
  PodHeldAtPermit: (data) => `held back on ${data.node} by ${(data.plugins as string[]).join(', ')}`,
  PreemptionDecided: (data) => {
    const victims = (data.victims as VictimReference[]).map(({ namespace, name, priority }) => `${namespace}/${name} (${priority})`);
    return `${data.namespace}/${data.pod} (${data.priority}) preempts ${victims.join(' and ')} on ${data.node}`;
  },
  PodAcceptedByKubelet: (data) => `accepted by the kubelet of ${data.node}`,
  PodRejectedByKubelet: (data) => `rejected by the kubelet: ${data.reason}: ${data.message}`,
  ContainerStarted: (data) => `container ${data.container} started`,
  ContainerExited: (data) => `container ${data.container} ended: ${data.reason}, exit code ${data.exitCode}`,
  ContainersStopping: (data) => `containers are being stopped, ${data.gracePeriodSeconds} s grace`,
  PodBecameReady: () => 'ready',
  PodTerminated: (data) => `terminated: ${data.phase}`,
  EvictionRequested: (data) => (data.dryRun ? 'eviction asked for (dry run)' : 'eviction asked for'),
  EvictionGranted: (data) => (data.budget ? `eviction granted, budget ${data.budget} charged` : 'eviction granted, no budget in the way'),
  EvictionRefused: (data) => `eviction refused: ${data.status?.details?.causes?.[0]?.message ?? data.status?.message ?? ''}`,
  Reported: (data) => `${data.reason}: ${data.message}`,
};

function attempted(data: Data): string {
  if (data.outcome === 'nominated') return `no node fits; room is made on ${data.node}`;
  if (data.outcome === 'skipped') return 'not scheduled: it is being deleted';
  return data.message === undefined ? 'tried again, with the same outcome' : `stays pending: ${data.message}`;
}
