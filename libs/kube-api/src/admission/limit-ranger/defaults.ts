import type { JsonObject, KubeObject } from '#libs/kernel';
import { limitsOf } from './limits';

const annotation = 'kubernetes.io/limit-ranger';

interface Container extends JsonObject {
  name: string;
}

/**
 * The pod with a LimitRange's default requests and limits where its containers name none, and an annotation that tells of them. Of several
 * LimitRanges each adds what those before have left open, and the last one that adds anything tells of what it has added (upstream).
 */
export function withDefaultResources(pod: KubeObject, limitRange: KubeObject): KubeObject {
  const requests: JsonObject = {};
  const limits: JsonObject = {};
  for (const limit of limitsOf(limitRange)) {
    if (limit.type !== 'Container') continue;
    Object.assign(requests, limit.defaultRequest);
    Object.assign(limits, limit.default);
  }
  const told: string[] = [];
  const filled = (field: 'containers' | 'initContainers', called: string): JsonObject => {
    const containers = pod.spec?.[field] as Container[] | undefined;
    return containers ? { [field]: containers.map((container) => withDefaults(container, called, { requests, limits }, told)) } : {};
  };
  const spec = { ...pod.spec, ...filled('containers', 'container'), ...filled('initContainers', 'init container') };
  if (told.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${told.join('; ')}` };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

function withDefaults(
  container: Container,
  called: string,
  defaults: Record<'requests' | 'limits', JsonObject>,
  told: string[],
): Container {
  const resources = (container.resources ?? {}) as Record<string, JsonObject | undefined>;
  let changed = resources;
  for (const side of ['requests', 'limits'] as const) {
    const present = resources[side] ?? {};
    const missing = Object.keys(defaults[side]).filter((name) => !Object.hasOwn(present, name));
    if (missing.length === 0) continue;
    const added = Object.fromEntries(missing.map((name) => [name, defaults[side][name]])) as JsonObject;
    changed = { ...changed, [side]: { ...present, ...added } };
    told.push(`${missing.sort().join(', ')} ${side === 'requests' ? 'request' : 'limit'} for ${called} ${container.name}`);
  }
  return changed === resources ? container : { ...container, resources: changed as JsonObject };
}
