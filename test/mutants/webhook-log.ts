import type { Origin } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { OutsideCall, WebhookOutcome, WriteRequest } from '#libs/kube-api';
import type { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
const clientConfig = { url: 'https://hooks.example.org/review' };
const hook = { rules, clientConfig, admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail' };

const configurations: readonly WriteRequest[] = [
  ['mutating', 'labels.example.org'],
  ['validating', 'judge.example.org'],
].map(([type, name]) => ({
  verb: 'create',
  resource: `${type}webhookconfigurations.admissionregistration.k8s.io`,
  object: { metadata: { name: 'hooks' }, webhooks: [{ ...hook, name }] } as unknown as KubeObject,
}));

/** Labels what it sees, refuses what says no, and fails where it is told to. */
function answered(call: OutsideCall): Promise<WebhookOutcome> {
  if ('desiredAPIVersion' in call) throw new Error('nothing is converted here');
  const { object, oldObject } = call.body('')['request'] as JsonObject;
  const { data } = (object ?? oldObject) as { data?: Record<string, string> };
  if (data?.['say'] === 'nothing') return Promise.resolve({ error: 'failed to call webhook: nobody is there' });
  if (call.isMutating && object) {
    const patch = JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }]);
    return Promise.resolve({ allowed: true, patch, patchType: 'JSONPatch' });
  }
  return Promise.resolve(data?.['say'] === 'no' ? { allowed: false, status: { message: 'no' } } : { allowed: true });
}

/** Config maps of a user, about which webhooks are asked. */
export async function withWebhooks(cluster: SimulatedCluster): Promise<void> {
  cluster.runtime.options.callOut = answered;
  for (const request of configurations) await cluster.writeAndSettle(request);
  let writes = 0;
  const write = async (request: WriteRequest): Promise<void> => {
    const operation = `hooked-${writes++}`;
    const user = { username: 'admin', groups: ['system:masters'] };
    const origin: Origin = { actor: 'user:admin', operation, correlationId: operation, caller: { user, options: {} } };
    const written = cluster.writer.write(request, origin);
    await cluster.executive.settle();
    await written;
    await cluster.executive.runFor(1_000);
  };
  const make = (name: string, say: string): Promise<void> =>
    write({
      verb: 'create',
      resource: 'configmaps',
      namespace: 'default',
      object: { metadata: { name }, data: { say } } as unknown as KubeObject,
    });
  const target = (name: string) => ({ resource: 'configmaps', namespace: 'default', name });
  await make('first', 'yes');
  await make('refused', 'no');
  await make('unheard', 'nothing');
  await make('second', 'yes');
  await write({ verb: 'patch', target: target('first'), patchType: 'merge', patch: { data: { say: 'yes, again' } } });
  await write({ verb: 'delete', target: target('second') });
}
