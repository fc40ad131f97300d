// What the cases of quota.jsonl kept of answers, and what they waited for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../api/play/client';
import type { CaseRules } from './play-case';
import type { CaseStep } from './recording';

interface Container {
  name: string;
  resources?: object;
}

interface KeptObject {
  kind?: string;
  metadata?: { annotations?: object };
  spec?: { containers?: Container[]; initContainers?: Container[]; priority?: number };
  status?: { qosClass?: string };
}

export const quotaRules: CaseRules = {
  runs: 'apiserver+controller-manager',
  patience: 2_000,
  kept: ({ request, response }, { status }, body) => {
    if (status >= 300) return body;
    const object = body as KeptObject;
    if (request.method === 'GET') return { spec: object.spec, status: object.status ?? null };
    if (Object.keys(response.body as object).join() === 'kind') return { kind: object.kind };
    return request.path.endsWith('/pods') ? keptOfPod(object) : object;
  },
  begin: async ({ namespace = '' }, client) => {
    // The recording's namespaces had what controllers put into them before quotas counted it.
    await until(client, `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`, () => true);
    await until(client, `/api/v1/namespaces/${namespace}/serviceaccounts/default`, () => true);
  },
  settle: async ({ note, request }: CaseStep, client) => {
    if (!note?.startsWith('then wait until status.used is filled')) return;
    const { name } = (request.body as { metadata: { name: string } }).metadata;
    await until(client, `${request.path}/${name}`, ({ status }) => status?.used !== undefined);
  },
};

function keptOfPod({ metadata, spec, status }: KeptObject): object {
  const kept = (containers: Container[] = []): object[] => containers.map(({ name, resources }) => ({ name, resources }));
  return {
    metadata: { annotations: metadata?.annotations ?? null },
    spec: { containers: kept(spec?.containers), initContainers: kept(spec?.initContainers), priority: spec?.priority },
    status: { qosClass: status?.qosClass },
  };
}

const patienceMs = 5_000;

async function until(client: Client, path: string, isThere: (body: { status?: { used?: object } }) => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const { status, body } = await client.send({ method: 'GET', path });
    if (status === 200 && isThere(JSON.parse(body.toString('utf8')) as object)) return;
    await sleep(20);
  }
}
