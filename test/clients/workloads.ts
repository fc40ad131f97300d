import { eventually, type RunningCluster } from '../e2e/running-cluster';

/** A workload of one container, as the checks of components write them. */
export interface Asked {
  cpu?: string;
  annotations?: Record<string, string>;
  spec?: object;
}

const namespaced = '/namespaces/default';
export const podsPath = `/api/v1${namespaced}/pods`;
export const appsPath = `/apis/apps/v1${namespaced}`;

export function podSpec({ cpu = '50m', spec }: Asked = {}): object {
  return {
    terminationGracePeriodSeconds: 10,
    containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu } } }],
    ...spec,
  };
}

export function pod(name: string, asked: Asked = {}): object {
  return { metadata: { name, annotations: asked.annotations }, spec: podSpec(asked) };
}

/** A Deployment, StatefulSet or DaemonSet, whose pods have the label `app: NAME`. */
export function workload(name: string, spec: object, asked: Asked = {}): object {
  const labels = { app: name };
  const template = { metadata: { labels, annotations: asked.annotations }, spec: podSpec(asked) };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

export type Seen = Awaited<ReturnType<RunningCluster['pods']>>[number];

export async function podsOf(cluster: RunningCluster, app: string): Promise<Seen[]> {
  return (await cluster.get(`${podsPath}?labelSelector=app%3D${app}`)).body.items;
}

export function hasCondition(object: Seen, type: string, status = 'True'): boolean {
  return (object.status?.conditions ?? []).some((condition: Seen) => condition.type === type && condition.status === status);
}

/** The object, once it is as it should be. */
export function becomes(
  cluster: RunningCluster,
  path: string,
  what: string,
  is: (object: Seen) => boolean,
  timeoutMs?: number,
): Promise<Seen> {
  return eventually(
    `${path} ${what}`,
    async () => {
      const { code, body } = await cluster.get(path);
      return code === 200 && is(body) ? body : undefined;
    },
    timeoutMs,
  );
}

export async function isGone(cluster: RunningCluster, path: string): Promise<void> {
  await eventually(`${path} is gone`, async () => (await cluster.get(path)).code === 404);
}
