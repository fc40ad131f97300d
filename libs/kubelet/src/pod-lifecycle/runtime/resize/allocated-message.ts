import type { JsonObject } from '#libs/kernel';
import type { ContainerRun, PodRuntime } from '../container-run';

/** What is set aside for a pod, as the Event that ends a resize says it. */
export function allocatedMessage({ init, main }: PodRuntime): string {
  return JSON.stringify({ ...(init.length > 0 ? { initContainers: init.map(entry) } : {}), containers: main.map(entry) });
}

function entry({ container, allocated: { limits, requests } }: ContainerRun): JsonObject {
  return {
    name: container.name,
    resources: { ...(limits ? { limits: sorted(limits) } : {}), ...(requests ? { requests: sorted(requests) } : {}) },
  };
}

function sorted(list: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}
