import { SimulatedCluster } from '../apps/cli/src/simulation/simulated-cluster';
import type { Figure } from './figure';

const minute = 60_000;
const pod = {
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }] },
};

/** Every event of one pod which is created, runs for a minute and is deleted, with the bytes of its payload and metadata as stored. */
export async function benchPodLife(): Promise<Figure[]> {
  const cluster = await SimulatedCluster.create({ nodes: { count: 3, cpu: '4', memory: '8Gi', pods: 110, zones: 3 } });
  await cluster.executive.runFor(minute);
  const before = cluster.state.position;
  await cluster.writeAndSettle({ verb: 'create', resource: 'pods', namespace: 'default', object: pod as never });
  await cluster.executive.runFor(minute);
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'web' } });
  await cluster.executive.runFor(minute);
  let events = 0;
  const total = { data: 0, metadata: 0 };
  for await (const page of cluster.log.readAll({ from: before + 1 })) {
    for (const { type, stream, data, metadata } of page) {
      const bytes = { data: bytesOf(data), metadata: bytesOf(metadata) };
      if (!stream.startsWith('local.pods-') && !stream.startsWith('local.admission-reviews')) continue;
      console.log(`  ${type.padEnd(24)} ${String(bytes.data).padStart(6)} + ${String(bytes.metadata).padStart(4)} B  ${stream}`);
      events++;
      total.data += bytes.data;
      total.metadata += bytes.metadata;
    }
  }
  await cluster.close();
  const load = `${events} events: payloads ${total.data} B, metadata ${total.metadata} B`;
  return [{ name: 'the life of a pod, as stored', value: total.data + total.metadata, unit: 'bytes', load }];
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
