import type { GroupResource, KubeObject } from '#libs/kernel';
import { compileObjectSelector, formatObjectSelector, labelSelectorString } from '../selectors';
import { ageOf } from './age';
import type { Cell, Loose, RowPrinter } from './cell';
import { age, countOf, nameOf, none } from './cell';
import { podRow } from '../kinds/core/pods/row';

const rowOf =
  (cells: (object: KubeObject, now: number) => Cell[]): RowPrinter =>
  (object, now) => ({ cells: cells(object, now) });

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(labels: Record<string, string> | undefined): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].sort().join(',') || none;
}

const nodeRow = rowOf((node, now) => {
  const ready = ((node.status?.conditions ?? []) as Loose[]).find(({ type }) => type === 'Ready');
  const status = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (node.spec?.unschedulable) status.push('SchedulingDisabled');
  const addresses: Loose[] = node.status?.addresses ?? [];
  const address = (wanted: string) => addresses.find(({ type }) => type === wanted)?.address || none;
  const { kubeletVersion = '', osImage, kernelVersion, containerRuntimeVersion } = node.status?.nodeInfo ?? {};
  return [
    nameOf(node),
    status.join(','),
    nodeRoles(node.metadata.labels),
    age(node, now),
    kubeletVersion,
    address('InternalIP'),
    address('ExternalIP'),
    osImage || '<unknown>',
    kernelVersion || '<unknown>',
    containerRuntimeVersion || '<unknown>',
  ];
});

function containerCells(template: Loose): [string, string] {
  const containers: Loose[] = template?.spec?.containers ?? [];
  return [containers.map(({ name = '' }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

const deploymentRow = rowOf((deployment, now) => {
  const { replicas = 0, selector, template } = deployment.spec ?? {};
  const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  const shown = labelSelectorString(compileObjectSelector(selector));
  return [
    nameOf(deployment),
    `${readyReplicas}/${replicas}`,
    updatedReplicas,
    availableReplicas,
    age(deployment, now),
    ...containerCells(template),
    shown,
  ];
});

const replicaSetRow = rowOf((set, now) => {
  const { replicas: desired = 0, selector, template } = set.spec ?? {};
  const { replicas = 0, readyReplicas = 0 } = set.status ?? {};
  return [nameOf(set), desired, replicas, readyReplicas, age(set, now), ...containerCells(template), formatObjectSelector(selector)];
});

const serviceRow = rowOf((service, now) => {
  const spec: Loose = service.spec ?? {};
  const ports: Loose[] = spec.ports ?? [];
  const shown = ports.map(({ port, nodePort, protocol = 'TCP' }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`);
  const selector = Object.entries((spec.selector ?? {}) as Record<string, string>);
  return [
    nameOf(service),
    spec.type ?? '',
    spec.clusterIPs?.[0] || none,
    externalAddress(service),
    shown.join(',') || none,
    age(service, now),
    selector
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || none,
  ];
});

function externalAddress({ spec = {}, status }: KubeObject): string {
  const externalIPs: string[] = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || none;
    case 'LoadBalancer': {
      const ingress: Loose[] = status?.loadBalancer?.ingress ?? [];
      const balanced = [...new Set(ingress.map(({ ip, hostname }) => ip || hostname).filter(Boolean))].sort();
      return [...balanced, ...externalIPs].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

const budgetRow = rowOf((budget, now) => {
  const { minAvailable = 'N/A', maxUnavailable = 'N/A' } = budget.spec ?? {};
  return [nameOf(budget), String(minAvailable), String(maxUnavailable), budget.status?.disruptionsAllowed ?? 0, age(budget, now)];
});

const priorityClassRow = rowOf((object, now) => [
  nameOf(object),
  object.value ?? 0,
  object.globalDefault === true,
  age(object, now),
  object.preemptionPolicy ?? '',
]);

/** Events of either API. */
const eventRow = rowOf((event, now) => {
  const involved: Loose = event.involvedObject ?? event.regarding ?? {};
  const source: Loose = event.source ?? event.deprecatedSource ?? {};
  const first = ageOf(event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime, now);
  const lastTime = event.lastTimestamp ?? event.deprecatedLastTimestamp;
  const last = event.series ? ageOf(event.series.lastObservedTime, now) : lastTime ? ageOf(lastTime, now) : first;
  const count: number = (event.series ? event.series.count : (event.count ?? event.deprecatedCount)) || 1;
  const kind = (involved.kind ?? '').toLowerCase();
  const component: string = source.component || event.reportingComponent || event.reportingController || '';
  const instance: string = source.host || event.reportingInstance || '';
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    involved.name ? `${kind}/${involved.name}` : kind,
    involved.fieldPath ?? '',
    instance === '' ? component : `${component}, ${instance}`,
    (event.message ?? event.note ?? '').trim(),
    first,
    count,
    nameOf(event),
  ];
});

const scaleRow = rowOf((scale, now) => [nameOf(scale), scale.spec?.replicas ?? 0, scale.status?.replicas ?? 0, age(scale, now)]);

const printers: Record<GroupResource, RowPrinter> = {
  pods: podRow,
  nodes: nodeRow,
  'priorityclasses.scheduling.k8s.io': priorityClassRow,
  'poddisruptionbudgets.policy': budgetRow,
  'runtimeclasses.node.k8s.io': rowOf((object, now) => [nameOf(object), object.handler ?? '', age(object, now)]),
  'deployments.apps': deploymentRow,
  'replicasets.apps': replicaSetRow,
  services: serviceRow,
  namespaces: rowOf((object, now) => [nameOf(object), object.status?.phase ?? '', age(object, now)]),
  configmaps: rowOf((object, now) => [nameOf(object), countOf(object.data) + countOf(object.binaryData), age(object, now)]),
  secrets: rowOf((object, now) => [nameOf(object), object.type ?? '', countOf(object.data), age(object, now)]),
  serviceaccounts: rowOf((object, now) => [nameOf(object), object.secrets?.length ?? 0, age(object, now)]),
  events: eventRow,
  'leases.coordination.k8s.io': rowOf((object, now) => [nameOf(object), object.spec?.holderIdentity ?? '', age(object, now)]),
  scale: scaleRow,
};

/** Kinds without columns of their own. */
const plainRow = rowOf((object) => [nameOf(object), object.metadata.creationTimestamp ?? '']);

export function rowPrinterOf(resource: GroupResource): RowPrinter {
  return Object.hasOwn(printers, resource) ? (printers[resource] as RowPrinter) : plainRow;
}
