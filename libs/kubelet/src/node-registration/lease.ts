import type { Step } from '#libs/control-loop';
import { formatMicroTime, type KubeObject } from '#libs/kernel';

export const leaseResource = 'leases.coordination.k8s.io';
export const leaseNamespace = 'kube-node-lease';
/** How long a kubelet may be silent before it counts as gone, seconds. */
const leaseDurationSeconds = 40;

/**
 * The heartbeat Lease of a node. It is made once and says when the node was last recorded to be well: heartbeats of healthy
 * nodes do not flood the log.
 */
export function leaseStep(node: KubeObject, now: number): Step {
  const { name, uid } = node.metadata;
  const object: KubeObject = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: leaseNamespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    } as KubeObject['metadata'],
    spec: { holderIdentity: name, leaseDurationSeconds, renewTime: formatMicroTime(now) },
  };
  return { step: 'lease', request: { verb: 'create', resource: leaseResource, namespace: leaseNamespace, object } };
}
