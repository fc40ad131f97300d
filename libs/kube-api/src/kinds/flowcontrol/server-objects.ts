import type { KubeObject } from '#libs/kernel';

/** Schemas and levels that an API server of the recorded release makes for itself. Of the mandatory ones the spec may not differ. */

interface Level {
  readonly name: string;
  readonly spec: object;
}

const limited = (shares: number, lendablePercent: number, [queues, handSize]: readonly [number, number]): object => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    lendablePercent,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
  },
});

const mandatoryLevels: readonly Level[] = [
  { name: 'exempt', spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  {
    name: 'catch-all',
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } },
  },
];

const suggestedLevels: readonly Level[] = [
  { name: 'system', spec: limited(30, 33, [64, 6]) },
  { name: 'node-high', spec: limited(40, 25, [64, 6]) },
  { name: 'leader-election', spec: limited(10, 0, [16, 4]) },
  { name: 'workload-high', spec: limited(40, 50, [128, 6]) },
  { name: 'workload-low', spec: limited(100, 90, [128, 6]) },
  { name: 'global-default', spec: limited(20, 50, [128, 6]) },
];

const groups = (...names: string[]): object[] => names.map((name) => ({ kind: 'Group', group: { name } }));
const users = (...names: string[]): object[] => names.map((name) => ({ kind: 'User', user: { name } }));
const systemAccounts = { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'kube-system' } };
const everybody = groups('system:unauthenticated', 'system:authenticated');
const any = ['*'];
const nonResource = (verbs: string[], nonResourceURLs: string[]): object => ({ verbs, nonResourceURLs });
const anything = {
  resourceRules: [{ verbs: any, apiGroups: any, resources: any, namespaces: any, clusterScope: true }],
  nonResourceRules: [nonResource(any, any)],
};
const leases = (verbs: string[]): object => ({ verbs, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: any });

interface Schema {
  readonly name: string;
  readonly spec: object;
}

const schema = (name: string, level: string, matchingPrecedence: number, by: string | undefined, rule: object): Schema => ({
  name,
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [rule],
  },
});

const mandatorySchemas: readonly Schema[] = [
  schema('exempt', 'exempt', 1, undefined, { subjects: groups('system:masters'), ...anything }),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', { subjects: everybody, ...anything }),
];

const suggestedSchemas: readonly Schema[] = [
  schema('system-nodes', 'system', 500, 'ByUser', { subjects: groups('system:nodes'), ...anything }),
  schema('system-node-high', 'node-high', 400, 'ByUser', {
    subjects: groups('system:nodes'),
    resourceRules: [
      { verbs: any, apiGroups: [''], resources: ['nodes', 'nodes/status'], namespaces: any, clusterScope: true },
      leases(any),
    ],
  }),
  schema('probes', 'exempt', 2, undefined, {
    subjects: everybody,
    nonResourceRules: [nonResource(['get'], ['/healthz', '/readyz', '/livez'])],
  }),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', {
    subjects: [...users('system:kube-controller-manager', 'system:kube-scheduler'), systemAccounts],
    resourceRules: [leases(['get', 'create', 'update'])],
  }),
  schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', {
    subjects: users('system:kube-controller-manager'),
    ...anything,
  }),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', { subjects: users('system:kube-scheduler'), ...anything }),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', { subjects: [systemAccounts], ...anything }),
  schema('service-accounts', 'workload-low', 9_000, 'ByUser', { subjects: groups('system:serviceaccounts'), ...anything }),
  schema('global-default', 'global-default', 9_900, 'ByUser', { subjects: everybody, ...anything }),
];

export const mandatoryLevelSpecs: ReadonlyMap<string, object> = new Map(mandatoryLevels.map(({ name, spec }) => [name, spec]));
export const mandatorySchemaSpecs: ReadonlyMap<string, object> = new Map(mandatorySchemas.map(({ name, spec }) => [name, spec]));

const own = ({ name, spec }: Level | Schema): KubeObject =>
  ({ metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } }, spec }) as unknown as KubeObject;

/** All of them, as they are sent to be created. */
export function flowControlObjects(): { readonly levels: KubeObject[]; readonly schemas: KubeObject[] } {
  return {
    levels: [...mandatoryLevels, ...suggestedLevels].map(own),
    schemas: [...mandatorySchemas, ...suggestedSchemas].map(own),
  };
}
