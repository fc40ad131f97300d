import type { Step } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';

export const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

/** A write of a definition through its status, by what was looked at. */
export function statusStep(step: string, definition: KubeObject): Step {
  const target = { resource: definitions, name: definition.metadata.name };
  return { step, request: { verb: 'update', target, subresource: 'status', object: definition } };
}
