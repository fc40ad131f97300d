/**
 * Every behaviour that a release of kubereel had, by controller; no release decides by any other. Whoever changes a controller's
 * behaviour adds the new one and keeps the old.
 */
export const releasedBehaviours: Readonly<Record<string, readonly string[]>> = {
  'apiservice-autoregistration-controller': ['1'],
  'apiservice-availability-controller': ['1', '2'],
  'apiservice-registration-controller': ['1'],
  'clusterrole-aggregation-controller': ['1'],
  'crd-api-approval-controller': ['1'],
  'certificatesigningrequest-approving-controller': ['1'],
  'certificatesigningrequest-cleaner-controller': ['1'],
  'certificatesigningrequest-signing-controller': ['1'],
  'crd-establishing-controller': ['1'],
  'crd-finalizer': ['1'],
  'crd-naming-condition-controller': ['1'],
  'deletion-finisher': ['1'],
  'deployment-controller': ['1'],
  disruption: ['1', '2'],
  'endpoint-controller': ['1'],
  'endpointslice-controller': ['1'],
  'endpointslicemirroring-controller': ['1'],
  eviction: ['1'],
  'garbage-collector-controller': ['1'],
  'job-controller': ['1'],
  kubelet: ['1', '2', '3', '4'],
  'kubelet-eviction': ['1', '2'],
  'kubelet-heartbeats': ['1'],
  'kubelet-registration': ['1', '2', '3'],
  'kubelet-shutdown': ['1'],
  'kubelet-static-pods': ['1', '2'],
  'kubernetes-service-cidr-controller': ['1'],
  'namespace-controller': ['1', '2'],
  'node-bootstrap': ['1'],
  'node-lifecycle-controller': ['2', '3', '4', '5'],
  'persistentvolume-protection-controller': ['1'],
  'persistentvolumeclaim-protection-controller': ['1'],
  'pod-garbage-collector': ['1', '2'],
  'priority-admission': ['1'],
  'priority-and-fairness-config-consumer': ['1'],
  'priority-and-fairness-config-producer': ['1'],
  'rbac-bootstrap-roles': ['1'],
  'replicaset-controller': ['1'],
  'resource-quota-admission': ['1'],
  'resourcequota-controller': ['1'],
  'root-ca-cert-publisher-controller': ['1'],
  scheduler: ['v1.34/2', 'v1.34/3'],
  'service-ip-addresses': ['1'],
  'serviceaccount-controller': ['1'],
  'serviceaccount-token-controller': ['1'],
  'statefulset-controller': ['1'],
  'taint-eviction-controller': ['1'],
  'ttl-after-finished-controller': ['1'],
  'ttl-controller': ['1'],
  'validatingadmissionpolicy-status-controller': ['1'],
  'volumeattributesclass-protection-controller': ['1'],
};

/** Whether a release of kubereel had this behaviour. Plugins of a user's own stand behind the scheduler's, `+NAME@VERSION` each. */
export function wasReleased(controller: string, behaviour: string): boolean {
  const name = controller.startsWith('scheduler-') ? 'scheduler' : controller;
  const own = behaviour.split('+', 1)[0] as string;
  return Object.hasOwn(releasedBehaviours, name) && (releasedBehaviours[name] as readonly string[]).includes(own);
}
