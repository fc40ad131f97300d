import type { GroupResource, KubeObject } from '#libs/kernel';

type Read = (object: KubeObject) => string;

export interface KindFields {
  /** Fields a selector may name, each with how its value is read; absent fields read as the empty text. */
  readonly labels: ReadonlyMap<string, Read>;
  /** How an unknown field is refused: kinds with fields of their own say less. */
  readonly refusal: 'named' | 'plain';
}

const text = (value: unknown): string => (typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value));

function path(...keys: string[]): Read {
  return (object) => {
    let value: unknown = object;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null) return '';
      value = (value as Record<string, unknown>)[key];
    }
    return text(value);
  };
}

const name: [string, Read] = ['metadata.name', (object) => object.metadata.name];
const namespace: [string, Read] = ['metadata.namespace', (object) => object.metadata.namespace ?? ''];
const unread: Read = () => '';

function own(...labels: [string, Read][]): KindFields {
  return { labels: new Map(labels), refusal: 'plain' };
}

function simple(field: string): [string, Read] {
  return [field, path(...field.split('.'))];
}

const byDefault: KindFields = { labels: new Map([name, namespace]), refusal: 'named' };

const pods = own(
  name,
  namespace,
  simple('spec.nodeName'),
  ['spec.host', path('spec', 'nodeName')],
  simple('spec.restartPolicy'),
  simple('spec.schedulerName'),
  simple('spec.serviceAccountName'),
  ['spec.hostNetwork', (pod) => String(pod.spec?.hostNetwork === true)],
  simple('status.phase'),
  ['status.podIP', (pod) => text(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP)],
  // Known by name only: upstream never fills it, so no value but the empty one matches.
  ['status.podIPs', unread],
  simple('status.nominatedNodeName'),
);

/** The component that reports an event, whichever of the two APIs wrote it. */
const reporting: Read = (event) => text(event.reportingComponent ?? event.reportingController);
const source: Read = (event) => text(event.source?.component ?? event.deprecatedSource?.component) || reporting(event);

function involved(key: string): Read {
  return (event) => text((event.involvedObject ?? event.regarding)?.[key]);
}
const involvedKeys = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const coreEvents = own(
  name,
  namespace,
  ...involvedKeys.map((key): [string, Read] => [`involvedObject.${key}`, involved(key)]),
  simple('reason'),
  ['reportingComponent', reporting],
  ['source', source],
  simple('type'),
);
const newEvents = own(
  name,
  namespace,
  ...involvedKeys.map((key): [string, Read] => [`regarding.${key}`, involved(key)]),
  simple('reason'),
  ['reportingController', reporting],
  simple('type'),
);

const kinds: ReadonlyMap<GroupResource, KindFields> = new Map([
  ['pods', pods],
  ['nodes', own(name, ['spec.unschedulable', (node) => String(node.spec?.unschedulable === true)])],
  ['namespaces', own(name, simple('status.phase'))],
  ['secrets', own(name, namespace, simple('type'))],
  ['services', own(name, namespace, simple('spec.clusterIP'), simple('spec.type'))],
  ['replicationcontrollers', own(name, namespace, ['status.replicas', (rc) => String(rc.status?.replicas ?? 0)])],
  ['jobs.batch', own(name, namespace, ['status.successful', (job) => String(job.status?.succeeded ?? 0)])],
  ['certificatesigningrequests.certificates.k8s.io', own(name, simple('spec.signerName'))],
  ['events', coreEvents],
  ['events.events.k8s.io', newEvents],
]);

/** What field selectors of a resource may name. */
export function fieldsOf(resource: GroupResource): KindFields {
  return kinds.get(resource) ?? byDefault;
}
