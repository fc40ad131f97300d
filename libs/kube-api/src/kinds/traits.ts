/**
 * How kinds behave where upstream's registry strategies say so in code; by GroupResource. Each list names the exceptions.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Kinds this server answers. */
export const served = words(`
  namespaces nodes pods configmaps secrets services serviceaccounts events bindings
  events.events.k8s.io leases.coordination.k8s.io priorityclasses.scheduling.k8s.io poddisruptionbudgets.policy
  runtimeclasses.node.k8s.io
  deployments.apps replicasets.apps`);

/** Subresources of served kinds that are not answered yet. */
export const unservedSubresources = words(`
  pods/attach pods/exec pods/portforward pods/proxy nodes/proxy services/proxy serviceaccounts/token`);

/** metadata.generation: 1 at create, raised by every change of the spec. */
export const managesGeneration = words(`
  pods podtemplates replicationcontrollers deployments.apps replicasets.apps statefulsets.apps daemonsets.apps
  jobs.batch cronjobs.batch poddisruptionbudgets.policy ingresses.networking.k8s.io networkpolicies.networking.k8s.io
  endpointslices.discovery.k8s.io flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  customresourcedefinitions.apiextensions.k8s.io`);

/** metadata.generation is 1 and stays so. */
export const fixedGeneration = words('priorityclasses.scheduling.k8s.io');

/** PUT of an unknown name answers 201. */
export const createsOnUpdate = words(`
  leases.coordination.k8s.io events events.events.k8s.io endpoints services limitranges runtimeclasses.node.k8s.io
  roles.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
  rolebindings.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io`);

/** PUT without resourceVersion is refused. */
export const conditionalUpdateOnly = words(`
  poddisruptionbudgets.policy leases.coordination.k8s.io runtimeclasses.node.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  csinodes.storage.k8s.io csidrivers.storage.k8s.io volumeattachments.storage.k8s.io`);

/** DELETE answers the object, not a Status. */
export const returnsDeletedObject = words(`
  pods services serviceaccounts persistentvolumes persistentvolumeclaims podtemplates resourcequotas
  storageclasses.storage.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io volumeattachments.storage.k8s.io
  deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io resourceslices.resource.k8s.io`);

export const deletesGracefully = words('pods');

/** A second view of objects kept under another name. */
export const storedAs: ReadonlyMap<string, string> = new Map([['events.events.k8s.io', 'events']]);

export const fieldSelectors: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pods: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    nodes: ['spec.unschedulable'],
    namespaces: ['status.phase'],
    secrets: ['type'],
    services: ['spec.clusterIP', 'spec.type'],
    replicationcontrollers: ['status.replicas'],
    'jobs.batch': ['status.successful'],
    'certificatesigningrequests.certificates.k8s.io': ['spec.signerName'],
    events: [
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => `involvedObject.${field}`),
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
    'events.events.k8s.io': [
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => `regarding.${field}`),
      'reason',
      'reportingController',
      'type',
    ],
  }),
);

export const formerVersions: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'deployments.apps': ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1'],
    'replicasets.apps': ['apps/v1beta2', 'extensions/v1beta1'],
    'poddisruptionbudgets.policy': ['policy/v1beta1'],
    'priorityclasses.scheduling.k8s.io': ['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha1'],
    'leases.coordination.k8s.io': ['coordination.k8s.io/v1beta1'],
    'runtimeclasses.node.k8s.io': ['node.k8s.io/v1beta1', 'node.k8s.io/v1alpha1'],
    'events.events.k8s.io': ['events.k8s.io/v1beta1'],
  }),
);
