/** Who a write is told to be by in managedFields, where nobody gave a name with it: upstream goes by the name of the client. */
export function managerOfAgent(agent: string | undefined): string {
  const name = (agent ?? '').split('/', 1)[0] as string;
  return name.replace(/[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu, '').slice(0, agentMax);
}

const agentMax = 128;

/** The program that upstream runs a controller in; those that are not named here are in kube-controller-manager. */
const programs: readonly (readonly [prefix: string, program: string])[] = [
  ['scheduler', 'kube-scheduler'],
  ['kubelet', 'kubelet'],
  ['apiserver', 'kube-apiserver'],
  ['priority-admission', 'kube-apiserver'],
  ['resource-quota-admission', 'kube-apiserver'],
  ['eviction', 'kube-apiserver'],
  ['apiservice', 'kube-apiserver'],
  ['kubernetes-service-cidr', 'kube-apiserver'],
  ['service-ip', 'kube-apiserver'],
  ['rbac-bootstrap-roles', 'kube-apiserver'],
  ['clusterrole-aggregation-controller', 'clusterrole-aggregation-controller'],
  ['priority-and-fairness-config-consumer', 'api-priority-and-fairness-config-consumer-v1'],
  ['priority-and-fairness-config-producer', 'api-priority-and-fairness-config-producer-v1'],
];

/** `scheduler-fast` is a scheduler too. */
export function managerOfController(name: string): string {
  return programs.find(([prefix]) => name === prefix || name.startsWith(`${prefix}-`))?.[1] ?? 'kube-controller-manager';
}

const appliers: ReadonlySet<string> = new Set(['clusterrole-aggregation-controller']);

/** Whether a controller writes by server-side apply; the others update. */
export function isApplier(controller: string): boolean {
  return appliers.has(controller);
}
