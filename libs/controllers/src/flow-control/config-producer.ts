import type { Reconciler, Step } from '#libs/control-loop';
import { jsonEqual, type GroupResource, type KubeObject } from '#libs/kernel';
import { flowControlObjects } from '#libs/kube-api';

const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';
const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io';
/** Set on an object that is to be kept as the server has it. */
const keptAnnotation = 'apf.kubernetes.io/autoupdate-spec';

interface Own {
  readonly resource: GroupResource;
  readonly object: KubeObject;
}

let own: readonly Own[] | undefined;

function ownObjects(): readonly Own[] {
  const { levels: ownLevels, schemas: ownSchemas } = flowControlObjects();
  return (own ??= [
    ...ownLevels.map((object) => ({ resource: levels, object })),
    ...ownSchemas.map((object) => ({ resource: schemas, object })),
  ]);
}

/** The priority levels and flow schemas that a server makes for itself (upstream: the config producer): they come back when they are deleted. */
export const flowControlProducer: Reconciler = {
  name: 'priority-and-fairness-config-producer',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [levels, schemas],
  follow: (_index, { change }) =>
    change && (change.resource === levels || change.resource === schemas) && isOwn(change.resource, change.key) ? ['configuration'] : [],
  allSubjects: () => ['configuration'],
  reconcile(cluster) {
    const steps = ownObjects().flatMap(({ resource, object }): Step[] => {
      const { name } = object.metadata;
      const step = `${resource.slice(0, resource.indexOf('.'))}/${name}`;
      const present = cluster.get(resource, undefined, name);
      if (!present) return [{ step, request: { verb: 'create', resource, object } }];
      if (!isKept(present) || jsonEqual(present.spec, object.spec)) return [];
      const updated = { ...present, spec: object.spec };
      return [{ step, request: { verb: 'update', target: { resource, name }, object: updated } }];
    });
    return steps.length > 0 ? { steps } : undefined;
  },
};

function isOwn(wanted: GroupResource, key: string): boolean {
  return ownObjects().some(({ resource, object }) => resource === wanted && key === `/${object.metadata.name}`);
}

/** Unless somebody has said otherwise, or has changed it before anything was said. */
function isKept({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp) return false;
  const said = metadata.annotations?.[keptAnnotation];
  return said === undefined ? metadata.generation === 1 : said === 'true';
}
