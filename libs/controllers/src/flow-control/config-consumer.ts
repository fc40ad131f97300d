import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import { formatTime, type KubeObject } from '#libs/kernel';

const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';
const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io';

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** Says of each flow schema whether the priority level that it names exists (upstream: the config consumer). */
export const flowControlConsumer: Reconciler = {
  name: 'priority-and-fairness-config-consumer',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  follows: [schemas, levels],
  *follow(_index, { change }: FoldedAppend, cluster) {
    if (change?.resource === schemas && change.type !== 'DELETED') yield change.key;
    if (change?.resource !== levels || change.type === 'MODIFIED') return;
    for (const [key, schema] of cluster.table(schemas).objects) if (levelOf(schema) === change.object.metadata.name) yield key;
  },

  *allSubjects(_index, cluster) {
    yield* cluster.table(schemas).objects.keys();
  },

  reconcile(cluster, _index, key, { now }) {
    const schema = cluster.byKey(schemas, key);
    if (!schema) return undefined;
    const wanted = danglingCondition(cluster, schema);
    const present = (schema.status?.conditions as Condition[] | undefined)?.find(({ type }) => type === wanted.type);
    if (present && present.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message)
      return undefined;
    const rest = (schema.status?.conditions as Condition[] | undefined)?.filter(({ type }) => type !== wanted.type) ?? [];
    const conditions = [...rest, { ...wanted, lastTransitionTime: formatTime(now) }];
    const object = { ...schema, status: { ...schema.status, conditions } };
    const target = { resource: schemas, name: schema.metadata.name };
    return { steps: [{ step: 'status', request: { verb: 'update', target, subresource: 'status', object } }] };
  },
};

function levelOf({ spec }: KubeObject): string {
  return (spec?.priorityLevelConfiguration as { name?: string } | undefined)?.name ?? '';
}

function danglingCondition(cluster: ClusterState, schema: KubeObject): Condition {
  const level = levelOf(schema);
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return cluster.get(levels, undefined, level)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${about} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${about} but there is no such object` };
}
