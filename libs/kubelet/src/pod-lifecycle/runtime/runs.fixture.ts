import { behaviourOf, type ContainerRole } from '../../behaviour';
import type { Container } from '../pod-types';
import type { ContainerRun, PodRuntime, ProbeGround } from './container-run';

const ground: ProbeGround = {
  uid: 'u',
  acceptedAt: 0,
  kubeletStartedAt: undefined,
  podIP: () => '10.0.0.1',
  programAnswers: () => undefined,
};

/** A run to be tested: a container in some state, with what annotations say about it. */
export function aRun(
  name: string,
  given: Partial<ContainerRun> & { does?: Record<string, string>; with?: Partial<Container> } = {},
): ContainerRun {
  const { does = {}, with: more, ...state } = given;
  const role: ContainerRole = given.role ?? 'main';
  const container: Container = { name, image: 'app:1', ...(role === 'sidecar' ? { restartPolicy: 'Always' } : {}), ...more };
  const annotations = Object.fromEntries(Object.entries(does).map(([key, value]) => [`kubereel.dev/${name}.${key}`, value]));
  const pod = { metadata: { name: 'p', uid: 'u', creationTimestamp: '', annotations } };
  const behaviour = behaviourOf(pod, container, role, { startupMs: 300, onTerm: 'exit' });
  const resources = container.resources ?? {};
  const fresh = { restartCount: 0, exitShown: false, image: 'app:1', imageId: '', allocated: resources, actual: resources };
  return { container, role, behaviour, ground, state: 'waiting', ...fresh, ...state };
}

export const running = (startedAt = 0): Partial<ContainerRun> => ({ state: 'running', startedAt, containerId: 'containerd://1' });

export const exited = (exitCode: number, finishedAt = 0, startedAt = 0): Partial<ContainerRun> => ({
  state: 'exited',
  containerId: 'containerd://1',
  exit: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt },
});

export function aRuntime(given: Partial<PodRuntime>): PodRuntime {
  const containers = { init: [], main: [], ephemeral: [] };
  return { acceptedAt: 0, ground, observedAt: 0, sandbox: true, podIP: '10.0.0.1', ...containers, resize: {}, finished: false, ...given };
}
