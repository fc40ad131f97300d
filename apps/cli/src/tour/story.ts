import type { JsonObject } from '#libs/kernel';
import { SimulatedTarget } from '../scenario/simulated-target';

/** What decides whether the pod may make room for itself. */
export type PreemptionPolicy = 'PreemptLowerPriority' | 'Never';

const nodes = { count: 1, cpu: '4', memory: '8Gi', pods: 110 };
/** Long enough for everything to come to rest: victims take 5 s to stop. */
const settledMs = 20_000;

/** A full node, then a pod of high priority: the whole control plane, in virtual time, until nothing happens any more. */
export async function playStory(policy: PreemptionPolicy): Promise<SimulatedTarget> {
  const target = await SimulatedTarget.create({ nodes });
  const low = { priorityClassName: 'low', annotations: { 'kubereel.dev/on-term': 'takes 5s' } };
  await applyAll(target, [priorityClass('low', 100), priorityClass('high', 1_000_000, policy), pod('low-a', low), pod('low-b', low)]);
  await target.wait(10_000);
  target.news();
  await applyAll(target, [pod('high', { priorityClassName: 'high' })]);
  await target.wait(settledMs);
  return target;
}

async function applyAll(target: SimulatedTarget, manifests: readonly JsonObject[]): Promise<void> {
  for (const manifest of manifests) {
    const { code, message } = await target.apply(manifest);
    if (code >= 400) throw new Error(message);
  }
}

function priorityClass(name: string, value: number, preemptionPolicy?: PreemptionPolicy): JsonObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    ...(preemptionPolicy ? { preemptionPolicy } : {}),
  };
}

/** Two of four CPUs each. */
function pod(
  name: string,
  { priorityClassName, annotations = {} }: { priorityClassName: string; annotations?: Record<string, string> },
): JsonObject {
  const containers = [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '2' } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations }, spec: { priorityClassName, containers } };
}
