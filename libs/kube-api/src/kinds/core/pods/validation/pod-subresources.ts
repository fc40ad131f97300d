import type { KubeObject } from '#libs/kernel';
import { forbidden } from '../../../../status/field-error';
import { semanticEqual } from '../../../../strategy/equality';
import { podQosClass } from '../qos';
import { goShape } from '../../../../validation/go-shapes';
import { validateMetadataUpdate } from '../../../../validation/metadata';
import { jsonDiff } from '../../../../validation/text-diff';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf } from '../../../../validation/values';
import { mirrorAnnotation, validatePodAnnotationUpdate } from './annotations';
import { aboutWhole, hasResources, invalidSpec, isRestartable, validatePodWhole } from './pod';

function isMirror(pod: KubeObject): boolean {
  return pod.metadata.annotations !== undefined && Object.hasOwn(pod.metadata.annotations, mirrorAnnotation);
}

/** Replaces all findings by one that makes the others pointless. */
function only(errors: Errors, start: number, text: string): void {
  errors.length = start;
  errors.push(aboutWhole(text));
}

/** pods/ephemeralcontainers: containers may be added, none changed or taken away. */
export function validateEphemeralContainersUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const start = errors.length;
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validatePodWhole(updated, errors);
  validatePodAnnotationUpdate(updated, old, 'metadata.annotations', errors);
  if (isMirror(old)) {
    only(errors, start, 'static pods do not support ephemeral containers');
    return;
  }
  const now = new Map<string, Loose>(listOf(updated.spec?.ephemeralContainers).map((container) => [container.name, container]));
  const refuse = (text: string) => errors.push(forbidden('spec.ephemeralContainers', text));
  for (const before of listOf(old.spec?.ephemeralContainers)) {
    const container = now.get(before.name);
    if (!container) refuse(`existing ephemeral containers "${before.name}" may not be removed\n`);
    else if (!semanticEqual(container, before)) {
      const difference = jsonDiff(goShape('EphemeralContainer', before), goShape('EphemeralContainer', container));
      refuse(`existing ephemeral containers "${before.name}" may not be changed\n${difference}`);
    }
  }
}

/** pods/resize: processor and memory of containers and sidecars; the class of service stays. */
export function validateResize(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const start = errors.length;
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validatePodWhole(updated, errors);
  if (hasResources(old.spec?.resources) || hasResources(updated.spec?.resources)) {
    only(errors, start, 'pods with pod-level resources cannot be resized');
    return;
  }
  if (isMirror(old)) {
    only(errors, start, 'static pods cannot be resized');
    return;
  }
  if (old.spec?.os?.name === 'windows') {
    only(errors, start, 'windows pods cannot be resized');
    return;
  }
  if ((old.status?.qosClass ?? podQosClass(old)) !== podQosClass(updated)) {
    errors.push(invalidSpec(updated.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  const running = listOf(old.status?.containerStatuses).find(({ state }) => isSet(state?.running));
  if (running && !isSet(running.resources)) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  const order = lists.flatMap((list) => orderErrors(list, listOf(updated.spec?.[list]), listOf(old.spec?.[list])));
  errors.push(...order);
  if (order.length > 0) return;
  for (const list of lists) compareResized(list, listOf(updated.spec?.[list]), listOf(old.spec?.[list]), errors);
}

const lists = ['containers', 'initContainers'] as const;
type ContainerList = (typeof lists)[number];

/** What is said of one container is said of the one at its place before. */
function orderErrors(list: ContainerList, updated: readonly Loose[], old: readonly Loose[]): Errors {
  if (updated.length !== old.length) return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  const moved = [...old.keys()].filter((index) => updated[index].name !== old[index].name);
  return moved.map((index) => forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`));
}

function compareResized(list: ContainerList, updated: Loose[], old: Loose[], errors: Errors): void {
  for (const [index, before] of old.entries()) {
    const now = updated[index];
    const sidecar = list === 'initContainers' && isRestartable(before);
    if (list === 'containers' || sidecar) {
      for (const part of ['requests', 'limits']) {
        const gone = Object.keys(before.resources?.[part] ?? {}).some((name) => !Object.hasOwn(now.resources?.[part] ?? {}, name));
        if (gone) errors.push(forbidden(`spec.${list}[${index}].resources.${part}`, `resource ${part} cannot be removed`));
      }
    }
    const kept = list === 'containers' || sidecar ? { ...now, resources: withOldAmounts(now.resources, before.resources) } : now;
    if (semanticEqual(kept, { ...before, resources: before.resources ?? {} })) continue;
    const text =
      list === 'containers'
        ? 'only cpu and memory resources are mutable'
        : sidecar
          ? 'only cpu and memory resources for sidecar containers are mutable'
          : 'resources for non-sidecar init containers are immutable';
    errors.push(forbidden('spec', text));
  }
}

/** The new resources with processor and memory as they were: what is left must not differ. */
function withOldAmounts(updated: Loose = {}, old: Loose = {}): Loose {
  const resources: Loose = {};
  for (const part of ['limits', 'requests']) {
    if (!isSet(old?.[part])) continue;
    const { cpu: _c, memory: _m, ...rest } = updated?.[part] ?? {};
    const { cpu, memory } = old[part];
    resources[part] = { ...rest, ...(isSet(cpu) ? { cpu } : {}), ...(isSet(memory) ? { memory } : {}) };
  }
  return resources;
}
