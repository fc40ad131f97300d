import { conditionOf, type ObjectChange } from '#libs/cluster-state';
import { fact } from '#libs/events';
import { controllerOf, objectKey } from '#libs/kernel';
import type { Deed } from '../loop/deeds';
import { finishedBy } from './finish';

const resource = 'jobs.batch';
const component = 'job-controller';

/** What the Job controller tells of what it has done: pods created and deleted, Jobs suspended, resumed and over. */
export function jobDeed(change: ObjectChange): Deed[] {
  return change.resource === 'pods' ? podDeeds(change) : change.resource === resource ? ownDeeds(change) : [];
}

function podDeeds({ type, namespace, object, before }: ObjectChange): Deed[] {
  const owner = controllerOf(object);
  if (owner?.kind !== 'Job') return [];
  const tell = (reason: string, words: string): Deed => deed(namespace, owner, 'Normal', reason, `${words} pod: ${object.metadata.name}`);
  if (type === 'ADDED') return [tell('SuccessfulCreate', 'Created')];
  const isAskedToGo = object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
  return isAskedToGo ? [tell('SuccessfulDelete', 'Deleted')] : [];
}

function ownDeeds({ type, namespace, object, before }: ObjectChange): Deed[] {
  if (type !== 'MODIFIED' || !before) return [];
  const { name, uid } = object.metadata;
  const tell = (kind: 'Normal' | 'Warning', reason: string, message: string): Deed => deed(namespace, { name, uid }, kind, reason, message);
  const deeds: Deed[] = [];
  const suspended = conditionOf(object, 'Suspended')?.status;
  if (suspended !== conditionOf(before, 'Suspended')?.status) {
    deeds.push(suspended === 'True' ? tell('Normal', 'Suspended', 'Job suspended') : tell('Normal', 'Resumed', 'Job resumed'));
  }
  const end = finishedBy(before) ? undefined : finishedBy(object);
  if (end?.type === 'Failed') deeds.push(tell('Warning', end.reason ?? '', end.message ?? ''));
  if (end?.type !== 'Complete') return deeds;
  if (object.status?.succeeded > (object.spec?.completions ?? Infinity)) {
    deeds.push(tell('Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached'));
  }
  return [...deeds, tell('Normal', 'Completed', 'Job completed')];
}

function deed(namespace: string, { name, uid }: { name: string; uid: string }, type: string, reason: string, message: string): Deed {
  return {
    subject: objectKey(namespace, name),
    report: fact('Reported', { resource, namespace, name, uid, type, reason, message, component }),
  };
}
