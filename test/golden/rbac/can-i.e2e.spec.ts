// The access matrix: what a real kubectl lists that recorded users may do, beside what a real control plane had told of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from '../../e2e/running-cluster';
import { goldenFolder } from '../golden-folder';

interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Asked {
  user: string;
  groups: string[];
  namespace: string;
  /** The status of the review, or the code and the text of its refusal. */
  status: { resourceRules: Rule[]; nonResourceRules: Rule[] } | [code: number, message: string];
}

interface Case {
  id: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  objects: any[];
  rules: Asked[];
}

const kubectlMinor = '1.33';
const binary = findKubectl(kubectlMinor);
const folder = goldenFolder('rbac');
if (!binary) console.warn(`\n*** kubectl ${kubectlMinor} is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n`);

const cases: Case[] = (folder ? ['reviews.jsonl', 'aggregated.jsonl'] : []).flatMap((file) =>
  readFileSync(join(folder as string, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case),
);

const plurals: Record<string, string> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

function collectionOf({ apiVersion, kind, metadata }: Case['objects'][number]): string {
  const plural = plurals[kind] ?? '';
  if (plural.startsWith('/')) return plural;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return metadata.namespace ? `${root}/namespaces/${metadata.namespace}/${plural}` : `${root}/${plural}`;
}

/** `deployments/scale` of `apps` is shown as `deployments.apps/scale`. */
function shownResource(group: string, resource: string): string {
  const [plural = '', ...sub] = resource.split('/');
  return [group === '' ? plural : `${plural}.${group}`, ...sub].join('/');
}

const or = (list: string[] | undefined): string[] => (list && list.length > 0 ? list : ['']);

/** Each single right: a verb on a resource (or one of its objects), or on a path. */
function recordedRights({ resourceRules, nonResourceRules }: Exclude<Asked['status'], unknown[]>): string[] {
  const rights = new Set<string>();
  for (const { verbs, apiGroups, resources, resourceNames } of resourceRules) {
    for (const group of or(apiGroups)) {
      for (const resource of or(resources)) {
        for (const name of or(resourceNames)) for (const verb of verbs) rights.add(`${verb} ${shownResource(group, resource)} ${name}`);
      }
    }
  }
  for (const { verbs, nonResourceURLs = [] } of nonResourceRules) {
    for (const url of nonResourceURLs) for (const verb of verbs) rights.add(`${verb} ${url}`);
  }
  return [...rights].sort();
}

/** The same, of the table that kubectl prints: resources, paths, names, verbs. */
function listedRights(table: string): string[] {
  const rights = new Set<string>();
  for (const line of table.trim().split('\n').slice(1)) {
    const [, resource = '', ...lists] = /^(\S*) +\[(.*?)\] +\[(.*?)\] +\[(.*?)\]$/.exec(line) ?? [];
    const [urls = [], names = [], verbs = []] = lists.map((list) => list.split(' ').filter(Boolean));
    expect(verbs, line).not.toEqual([]);
    for (const verb of verbs) {
      for (const url of urls) rights.add(`${verb} ${url}`);
      if (resource !== '') for (const name of or(names)) rights.add(`${verb} ${resource} ${name}`);
    }
  }
  return [...rights].sort();
}

describe.runIf(binary && folder)(`kubectl ${kubectlMinor} auth can-i --list`, () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '0', '--no-metrics-server');
    for (const object of cases.flatMap(({ objects }) => objects)) await cluster.create(collectionOf(object), object);
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });

  function canI({ user, groups, namespace }: Asked): Promise<Output> {
    const as = [`--as=${user}`, ...groups.map((group) => `--as-group=${group}`), `--namespace=${namespace}`];
    return run(binary as string, ['auth', 'can-i', '--list', ...as], { env: { KUBECONFIG: cluster.kubeconfig, HOME: cluster.folder } });
  }

  it.for(cases.map((played) => [played.id, played] as const))(
    '%s: its users may do what was recorded',
    { timeout: 60_000 },
    async ([, played]) => {
      for (const asked of played.rules) {
        const { status } = asked;
        if (Array.isArray(status)) {
          const { code, stderr } = await canI(asked);
          expect(code).toBe(1);
          expect(stderr).toContain(status[1]);
          continue;
        }
        const wanted = recordedRights(status);
        let listed: string[] = [];
        // A rule takes a moment to be aggregated.
        await eventually(
          'the rights are listed',
          async () => {
            listed = listedRights((await canI(asked)).stdout);
            return listed.length === wanted.length;
          },
          10_000,
        ).catch(() => undefined);
        expect(listed, `${asked.user} in ${asked.namespace}`).toEqual(wanted);
      }
    },
  );

  it('leaves a log that verifies clean', { timeout: 60_000 }, async () => {
    expect(await cluster.stop()).toBe(0);
    const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
    expect(code, stdout + stderr).toBe(0);
  });
});
