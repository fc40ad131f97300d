import type { KubeObject } from '#libs/kernel';
import { parseQuantity } from '#libs/kernel';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

interface Resources {
  requests?: Record<string, unknown>;
  limits?: Record<string, unknown>;
}

const counted = ['cpu', 'memory'] as const;

function addPositive(into: Map<string, bigint>, list: Record<string, unknown> | undefined): void {
  for (const name of counted) {
    const nano = parseQuantity(list?.[name])?.nano ?? 0n;
    if (nano > 0n) into.set(name, (into.get(name) ?? 0n) + nano);
  }
}

function limitsComplete(resources: Resources | undefined): boolean {
  return counted.every((name) => (parseQuantity(resources?.limits?.[name])?.nano ?? 0n) > 0n);
}

/**
 * Quality of service by the processor and memory that a pod asks for (upstream `qos.ComputePodQOS`): its own resources where it
 * has any, else those of its containers and init containers.
 */
export function podQosClass(pod: KubeObject): QosClass {
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  const whole = pod.spec?.resources as Resources | undefined;
  const wholeSet = Object.keys(whole?.requests ?? {}).length > 0 || Object.keys(whole?.limits ?? {}).length > 0;
  const sources: (Resources | undefined)[] = wholeSet
    ? [whole]
    : [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map(({ resources }: { resources?: Resources }) => resources);
  let everyLimitSet = true;
  for (const resources of sources) {
    addPositive(requests, resources?.requests);
    addPositive(limits, resources?.limits);
    if (!limitsComplete(resources)) everyLimitSet = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = requests.size === limits.size && counted.every((name) => requests.get(name) === limits.get(name));
  return everyLimitSet && equal ? 'Guaranteed' : 'Burstable';
}
