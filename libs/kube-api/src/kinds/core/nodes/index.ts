import type { JsonObject, KubeObject } from '#libs/kernel';
import { alignFirst } from '../../../defaults/align';
import { draftOf, objectIn } from '../../../defaults/draft';
import { roundResourceList } from '../../../defaults/resources';
import { fieldsOf, nameField } from '../../../selectors/kind-fields';
import { withStatus } from '../../../strategy/status-update';
import { bothRules } from '../../../validation/metadata';
import { warnAboutCidr } from '../../../validation/legacy-addresses';
import { isSet, listOf } from '../../../validation/values';
import type { KindDescription } from '../../behaviour';
import { nodeRow } from './row';
import { validateNode, validateNodeUpdate } from './validation';

/** `podCIDR` is the first of `podCIDRs`; what can be allocated is the capacity where nothing else is said. */
function setNodeDefaults(node: JsonObject): void {
  const spec = objectIn(node, 'spec');
  const list = spec?.['podCIDRs'];
  if (spec) alignFirst(spec, 'podCIDR', 'podCIDRs', Array.isArray(list) ? list[0] : undefined, (cidr) => cidr);
  const status = objectIn(node, 'status');
  if (!status) return;
  if (status['capacity'] && !status['allocatable']) status['allocatable'] = draftOf(status['capacity']);
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatable']);
}

/** A feature that is no more: accepted, and dropped without a word. */
function withoutConfigSource(node: KubeObject): KubeObject {
  if (!isSet(node.spec?.configSource)) return node;
  const { configSource: _, ...spec } = node.spec as Record<string, unknown>;
  return { ...node, spec };
}

/** The taint of a node that nobody has seen ready yet is most likely that of admission. */
function nodeAsAsked(node: KubeObject): KubeObject {
  const taints = node.spec?.taints as { key: string; effect: string }[] | undefined;
  const last = taints?.[taints.length - 1];
  if (!taints || last?.key !== 'node.kubernetes.io/not-ready' || last.effect !== 'NoSchedule') return node;
  const { taints: _, ...spec } = node.spec as Record<string, unknown>;
  return { ...node, spec: taints.length > 1 ? { ...spec, taints: taints.slice(0, -1) } : spec };
}

function warnAboutNode(node: KubeObject, warnings: string[]): void {
  for (const [index, range] of listOf(node.spec?.podCIDRs).entries()) warnAboutCidr(range, `spec.podCIDRs[${index}]`, warnings);
  if (node.spec?.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
}

export const nodes: KindDescription = {
  name: 'nodes',
  served: true,
  fields: fieldsOf(nameField, ['spec.unschedulable', (node) => String(node.spec?.unschedulable === true)]),
  setDefaults: setNodeDefaults,
  strategy: {
    // The kubelet registers its node together with its status.
    create: withoutConfigSource,
    asAsked: nodeAsAsked,
    update: (updated, old) => withStatus(withoutConfigSource(updated), old.status),
  },
  validation: { create: validateNode, update: bothRules(validateNode, validateNodeUpdate), subresources: { status: validateNodeUpdate } },
  warn: (node, _old, warnings) => warnAboutNode(node, warnings),
  row: nodeRow,
};
