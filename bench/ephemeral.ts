import { median, type Figure } from './figure';
import { preemptions } from './control-plane';
import { call, poll, readyNodes, start, stop } from './running-cluster';

const nodes = 100;
const replicas = 300;
const runs = 5;

/** A log in memory against one in a file: how soon a client is answered while the cluster is busy, and how busy it is. */
export async function benchEphemeral(scale: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [place, flags] of [
    [', in memory', ['--ephemeral']],
    [', in a file', []],
  ] as const) {
    figures.push(...(await answersInACascade([...flags], place)));
    figures.push(await preemptions(nodes, Math.round(200 * scale), [...flags], place));
  }
  return figures;
}

/** The answer to the create that begins the cascade, and to a read in the middle of it. */
async function answersInACascade(flags: string[], place: string): Promise<Figure[]> {
  const created: number[] = [];
  const read: number[] = [];
  for (let i = 0; i < runs; i++) {
    const running = await start(['--nodes', `${nodes},cpu=64,memory=256Gi,pods=110`, ...flags]);
    try {
      await poll(async () => ((await readyNodes(running)) >= nodes ? true : undefined));
      created.push(await msOf(() => call(running, 'POST', '/apis/apps/v1/namespaces/default/deployments', deployment())));
      read.push(await msOf(() => call(running, 'GET', '/api/v1/namespaces/default')));
    } finally {
      await stop(running);
    }
  }
  const load = `${replicas} replicas on ${nodes} nodes, just started, median of ${runs}`;
  return [
    { name: `create of a Deployment answered${place}`, value: median(created), unit: 'ms', load },
    { name: `read right after it answered${place}`, value: median(read), unit: 'ms', load },
  ];
}

async function msOf(what: () => Promise<{ code: number; body: string }>): Promise<number> {
  const began = performance.now();
  const { code, body } = await what();
  if (code >= 300) throw new Error(`answered ${code}: ${body}`);
  return performance.now() - began;
}

function deployment(): object {
  const labels = { app: 'bench' };
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '10m' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'bench' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}
