// What stood in for kubelets when transcripts were recorded, played through the API: pods that are bound become ready, those that are
// to be deleted go. No kubelet of ours runs beside it, so nothing is seen that the recorded cluster did not have.
import type { Client } from './client';
import { parse } from '../compare/response';

interface Container {
  name: string;
  image: string;
}

interface Pod {
  metadata: { name: string; namespace: string; deletionTimestamp?: string; ownerReferences?: { kind: string }[] };
  spec: { nodeName?: string; containers: Container[] };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** What two recorded stand-ins did differently. */
export interface StandIn {
  /** Address of the number-th pod. */
  podIP(number: number): string;
  hostIP: string;
  /** Whether a Job's pods end by themselves. */
  finishesJobs: boolean;
}

/** By the name that a recording gives it (`runs`). */
export const standIns: Readonly<Record<string, StandIn>> = {
  // "marked bound pods ready and finished terminating ones about every 0.4 s": the statuses are those that deployment-live wrote.
  'stand-in kubelet': { podIP: () => '10.1.0.5', hostIP: '10.9.0.1', finishesJobs: false },
  // kwok gives its pods addresses; these are out of the way of those of Services.
  kwok: { podIP: (number) => `10.244.${number >> 8}.${number & 255}`, hostIP: '10.244.255.1', finishesJobs: true },
};

/** The stand-in that ran beside a recorded server, at work; undefined where none did. */
export function standInBeside(runs: string, client: Client): StandInKubelet | undefined {
  const name = runs.split('+').find((part) => Object.hasOwn(standIns, part.trim()));
  const standIn = name === undefined ? undefined : standIns[name.trim()];
  return standIn && new StandInKubelet(client, standIn);
}

/** Milliseconds between two looks. */
const lookEvery = 400;

export class StandInKubelet {
  private readonly client: Client;
  private readonly standIn: StandIn;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;
  private pods = 0;

  constructor(client: Client, standIn: StandIn) {
    this.client = client;
    this.standIn = standIn;
    this.timer = setInterval(() => {
      this.looking ??= this.look()
        .catch(() => undefined)
        .finally(() => (this.looking = undefined));
    }, lookEvery);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const answer = await this.client.send({ method: 'GET', path: '/api/v1/pods' });
    const { items = [] } = (parse(answer.body.toString('utf8')) ?? {}) as { items?: Pod[] };
    for (const pod of items) if (pod.spec.nodeName !== undefined) await this.tend(pod);
  }

  private async tend(pod: Pod): Promise<void> {
    const { name, namespace, deletionTimestamp, ownerReferences = [] } = pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    const isOfJob = ownerReferences.some(({ kind }) => kind === 'Job');
    const hasEnded = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (deletionTimestamp !== undefined) await this.client.send({ method: 'DELETE', path, query: 'gracePeriodSeconds=0' });
    else if (hasEnded) return;
    else if (!isReady) await this.write(path, this.running(pod));
    else if (isOfJob && this.standIn.finishesJobs) await this.write(path, completed(pod));
  }

  private async write(path: string, status: object): Promise<void> {
    const headers = { 'Content-Type': 'application/strategic-merge-patch+json' };
    await this.client.send({ method: 'PATCH', path: `${path}/status`, headers, body: { status } });
  }

  private running(pod: Pod): object {
    const startTime = now();
    const podIP = this.standIn.podIP(++this.pods);
    const conditions = ['Initialized', 'Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
    const containerStatuses = pod.spec.containers.map(({ name, image }) => ({
      name,
      ready: true,
      restartCount: 0,
      image,
      imageID: '',
      started: true,
      state: { running: { startedAt: startTime } },
    }));
    return { phase: 'Running', startTime, podIP, podIPs: [{ ip: podIP }], hostIP: this.standIn.hostIP, conditions, containerStatuses };
  }
}

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

function completed(pod: Pod): object {
  const finishedAt = now();
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False', reason: 'PodCompleted' }));
  const containerStatuses = pod.spec.containers.map(({ name, image }) => ({
    name,
    ready: false,
    restartCount: 0,
    image,
    imageID: '',
    started: false,
    state: { running: null, terminated: { exitCode: 0, reason: 'Completed', startedAt: finishedAt, finishedAt } },
  }));
  return { phase: 'Succeeded', conditions, containerStatuses };
}
