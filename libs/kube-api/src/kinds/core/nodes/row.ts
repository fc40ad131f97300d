import { age, nameOf, none, rowOf, type Loose } from '../../../printing/cell';

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(labels: Record<string, string> | undefined): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].sort().join(',') || none;
}

export const nodeRow = rowOf((node, now) => {
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
