import { quantityMilli } from '#libs/kernel';
import type { Container, ResourceRequirements } from '../../pod-types';

/** What can be changed of a container's resources, in thousandths; 0 where nothing is said. */
export interface Amounts {
  cpuRequest: number;
  cpuLimit: number;
  memoryRequest: number;
  memoryLimit: number;
}

export function amountsOf({ requests, limits }: ResourceRequirements): Amounts {
  return {
    cpuRequest: quantityMilli(requests?.cpu),
    cpuLimit: quantityMilli(limits?.cpu),
    memoryRequest: quantityMilli(requests?.memory),
    memoryLimit: quantityMilli(limits?.memory),
  };
}

/** Which of the two have other amounts. */
export function changedResources(before: ResourceRequirements, after: ResourceRequirements): ('cpu' | 'memory')[] {
  if (before === after) return [];
  const was = amountsOf(before);
  const is = amountsOf(after);
  return [
    ...(was.cpuRequest !== is.cpuRequest || was.cpuLimit !== is.cpuLimit ? (['cpu'] as const) : []),
    ...(was.memoryRequest !== is.memoryRequest || was.memoryLimit !== is.memoryLimit ? (['memory'] as const) : []),
  ];
}

/** The container can be given these amounts only by another run of it. */
export function needsRestart({ resizePolicy = [] }: Container, before: ResourceRequirements, after: ResourceRequirements): boolean {
  const changed: readonly string[] = changedResources(before, after);
  return resizePolicy.some(({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.includes(resourceName));
}
