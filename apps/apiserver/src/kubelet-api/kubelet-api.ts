import type { ClusterState } from '#libs/cluster-state';
import { isFailure, methodNotAllowed, serviceUnavailable, type Failure } from '#libs/kube-api';
import { nodeStats } from '#libs/kubelet';
import { jsonType, pageNotFound, textAnswer, type Answer } from '../http/answer';
import { expositionType } from '../metrics/exposition';
import { readProxiedName } from '../proxy/proxied-name';
import type { ResourceRequest } from '../reading/resource-request';
import { kubeletOfNode } from '../remote/kubelet-connection';

/** Where kubelets listen for the API server. */
const kubeletPorts: ReadonlySet<string> = new Set(['', '10250']);

/**
 * What a simulated kubelet answers to a request that the API server hands on to it (`nodes/NAME/proxy/…`): what it measures, and that it is well.
 * Undefined: no simulated kubelet is asked.
 * @param path below `proxy`
 * @param now cluster time, ms
 */
export async function kubeletAnswer(
  request: ResourceRequest,
  { path, method }: { path: string; method: string },
  { cluster, now }: { cluster: ClusterState; now: number },
): Promise<Answer | Failure | undefined> {
  const asked = readProxiedName(request.name ?? '');
  if (!asked || !kubeletPorts.has(asked.port) || asked.scheme === 'http') return undefined;
  const kubelet = await kubeletOfNode(asked.name, request.view);
  if (isFailure(kubelet) || !kubelet.isSimulated) return undefined;
  const stats = nodeStats(cluster, asked.name);
  if (kubelet.dialError !== undefined || !stats) return serviceUnavailable(`error trying to reach service: ${kubelet.dialError ?? 'EOF'}`);
  const make = paths[path];
  if (!make) return pageNotFound();
  return method === 'GET' ? make(stats, now) : methodNotAllowed();
}

type Page = (stats: NonNullable<ReturnType<typeof nodeStats>>, now: number) => Promise<Answer>;

const paths: Readonly<Record<string, Page>> = {
  healthz: () => Promise.resolve(textAnswer(200, 'ok')),
  'stats/summary': async (stats, now) => {
    const { statsSummary } = await import('./stats-summary.js');
    return { status: 200, contentType: jsonType, body: JSON.stringify(statsSummary(stats, now), undefined, 1), compressible: true };
  },
  'metrics/resource': async (stats, now) => {
    const { resourceMetricsText } = await import('./resource-metrics-text.js');
    return { status: 200, contentType: expositionType, body: resourceMetricsText(stats, now), compressible: true };
  },
};
