import type { KubeObject } from '#libs/kernel';
import { badRequest, type Failure } from '#libs/kube-api';

interface Named {
  name: string;
}

export interface ContainerStatus extends Named {
  restartCount?: number;
  containerID?: string;
  state?: { waiting?: { reason?: string }; running?: { startedAt?: string }; terminated?: Terminated };
  lastState?: { terminated?: Terminated };
}

interface Terminated {
  startedAt?: string;
  finishedAt?: string;
}

const names = (containers: unknown): string[] => ((containers as Named[] | undefined) ?? []).map(({ name }) => name);

/** The container that a request is about: the named one, or the only one (upstream `podutil` of logs, exec and attach). */
export function containerOf(pod: KubeObject, asked: string): string | Failure {
  const { name } = pod.metadata;
  const main = names(pod.spec?.containers);
  const init = names(pod.spec?.initContainers);
  const ephemeral = names(pod.spec?.ephemeralContainers);
  if (asked !== '')
    return [...main, ...init, ...ephemeral].includes(asked) ? asked : badRequest(`container ${asked} is not valid for pod ${name}`);
  if (main.length === 1) return main[0] as string;
  let text = `a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]`;
  if (init.length > 0) text += ` or one of the init containers: [${init.join(' ')}]`;
  if (ephemeral.length > 0) text += ` or one of the ephemeral containers: [${ephemeral.join(' ')}]`;
  return badRequest(text);
}

export function statusOf(pod: KubeObject, container: string): ContainerStatus | undefined {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  const all = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].flat() as (ContainerStatus | undefined)[];
  return all.find((status) => status?.name === container);
}

/** What a pod's spec says of one of its containers. */
export function containerNamed({ spec }: KubeObject, name: string): Named {
  const { containers, initContainers, ephemeralContainers } = (spec ?? {}) as Record<string, Named[] | undefined>;
  const all = [containers, initContainers, ephemeralContainers].flatMap((list) => list ?? []);
  return all.find((container) => container.name === name) ?? { name };
}
