/**
 * What `kubectl explain` says, in our own words, about what this product is about: priorities, preemption, disruption, scheduling.
 * Key: definition, or definition and field.
 */
export const descriptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'core.v1.Pod': 'A group of containers that is placed on one node together and lives and dies there.',
    'core.v1.Node': 'A machine that pods run on: what it has to offer, and which pods it wants to keep away.',
    'core.v1.Namespace': 'A scope for names; deleting it deletes everything in it.',
    'core.v1.ConfigMap': 'Settings as key and value, for pods to read.',
    'core.v1.Secret': 'Like a ConfigMap, for values that not everybody should see; they are base64 on the wire.',
    'core.v1.Service': 'A stable name and address for the pods that its selector matches.',
    'core.v1.ServiceAccount': 'An identity for the processes in pods.',
    'core.v1.Event': 'A report that something happened to an object; kept for one hour of cluster time.',
    'events.v1.Event': 'A report that something happened to an object; the same objects as core events, with other field names.',
    'coordination.v1.Lease': 'A claim that has to be renewed: leader election and the heartbeats of nodes.',
    'scheduling.v1.PriorityClass':
      'Names a priority that pods can ask for. Its value never changes; delete it and create it again to change it.',
    'policy.v1.PodDisruptionBudget':
      'Limits how many pods of a set may be evicted at the same time. Preemption respects it only where it can.',
    'policy.v1.Eviction': 'A request to delete a pod if the disruption budgets allow it.',
    'apps.v1.Deployment': 'Keeps a number of equal pods running and replaces them step by step when their template changes.',
    'apps.v1.ReplicaSet': 'Keeps a number of equal pods running.',
    'autoscaling.v1.Scale': 'How many replicas something has, and should have.',
    'core.v1.PodSpec': 'What the pod should be.',
    'core.v1.PodStatus': 'What the pod is, as far as the cluster knows.',
    'core.v1.NodeSpec': 'What the node should be.',
    'core.v1.NodeStatus': 'What the node reports of itself.',
    'scheduling.v1.PriorityClass.value':
      'The priority of pods of this class; higher ones are scheduled first and may preempt lower ones. At most 1000000000 for classes of users.',
    'scheduling.v1.PriorityClass.globalDefault': 'Pods that name no class get this one. Only one class may be the default.',
    'scheduling.v1.PriorityClass.preemptionPolicy':
      'Whether pods of this class may make room for themselves by preemption (PreemptLowerPriority), or wait in line only (Never).',
    'scheduling.v1.PriorityClass.description': 'When to use this class.',
    'core.v1.PodSpec.priorityClassName': 'The class that gives the pod its priority; resolved once, when the pod is created.',
    'core.v1.PodSpec.priority': 'The priority itself, filled in from the class. If given it has to be that of the class.',
    'core.v1.PodSpec.preemptionPolicy': 'Whether the pod may preempt pods of lower priority; filled in from the class.',
    'core.v1.PodSpec.terminationGracePeriodSeconds': 'How long the pod may take to end after it was asked to; then it is killed.',
    'core.v1.PodSpec.nodeName': 'The node the pod is on. Empty: the scheduler chooses.',
    'core.v1.PodSpec.nodeSelector': 'Labels that the node must have.',
    'core.v1.PodSpec.schedulerName': 'The scheduler that places the pod.',
    'core.v1.PodSpec.schedulingGates': 'As long as there are any the scheduler leaves the pod alone.',
    'core.v1.PodSpec.tolerations': 'Taints of nodes that do not keep this pod away.',
    'core.v1.PodSpec.affinity': 'What the pod wants to be close to, and what it wants to stay away from.',
    'core.v1.PodSpec.topologySpreadConstraints': 'How evenly the pods of a set have to be spread over zones, nodes or other domains.',
    'core.v1.PodSpec.overhead': 'Resources that the pod needs beside those of its containers.',
    'core.v1.PodSpec.containers': 'The containers of the pod, at least one.',
    'core.v1.PodSpec.initContainers':
      'Containers that run one after the other before the others start; with restartPolicy Always they stay, as sidecars.',
    'core.v1.PodSpec.restartPolicy': 'What happens to containers that end: Always, OnFailure or Never start again.',
    'core.v1.PodStatus.nominatedNodeName':
      'The node on which room was made for this pod by preemption. Not a promise: it may still go elsewhere.',
    'core.v1.PodStatus.phase': 'Pending, Running, Succeeded, Failed, or Unknown.',
    'core.v1.PodStatus.conditions': 'PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget.',
    'core.v1.PodStatus.qosClass': 'Guaranteed, Burstable or BestEffort: who has to go first when a node runs out of something.',
    'core.v1.NodeSpec.taints': 'Keep pods away that do not tolerate them.',
    'core.v1.NodeSpec.unschedulable': 'No new pods; set by cordon and drain.',
    'core.v1.NodeStatus.capacity': 'What the node has.',
    'core.v1.NodeStatus.allocatable': 'What of it pods may ask for. This is what the scheduler counts with.',
    'core.v1.Container.resources': 'What the container needs (requests, the scheduler counts these) and what it may use at most (limits).',
    'core.v1.ResourceRequirements.requests': 'What must be free on a node for the pod to be placed there.',
    'core.v1.ResourceRequirements.limits': 'What may be used at most.',
    'policy.v1.PodDisruptionBudgetSpec.minAvailable':
      'How many pods, or what share of them, have to stay healthy. Not together with maxUnavailable.',
    'policy.v1.PodDisruptionBudgetSpec.maxUnavailable':
      'How many pods, or what share of them, may be missing. Not together with minAvailable.',
    'policy.v1.PodDisruptionBudgetSpec.selector': 'The pods that are counted. Empty ({}): all of the namespace; absent: none.',
    'policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy':
      'Whether running pods that are not ready may be evicted always (AlwaysAllow) or only within the budget (IfHealthyBudget).',
    'policy.v1.PodDisruptionBudgetStatus.disruptionsAllowed': 'How many evictions are granted now.',
    'policy.v1.PodDisruptionBudgetStatus.currentHealthy': 'How many pods are healthy.',
    'policy.v1.PodDisruptionBudgetStatus.desiredHealthy': 'How many have to be.',
    'policy.v1.PodDisruptionBudgetStatus.expectedPods': 'How many pods are counted.',
    'policy.v1.PodDisruptionBudgetStatus.disruptedPods': 'Pods whose eviction was granted and has not been seen yet.',
    'meta.v1.ObjectMeta.resourceVersion': 'The position in the event stream of the last change of the object.',
    'meta.v1.ObjectMeta.generation': 'Counts the changes of the spec.',
    'meta.v1.ObjectMeta.finalizers': 'As long as there are any the object is not gone after it was deleted.',
    'meta.v1.ObjectMeta.deletionTimestamp': 'When the object was, or will be, asked to be gone for good.',
  }),
);

/** A field without words of its own, on any kind. */
export const commonDescriptions: ReadonlyMap<string, string> = new Map([
  ['apiVersion', 'Group and version of the kind.'],
  ['kind', 'The kind of the object.'],
  ['metadata', 'Name, labels and what the API itself keeps about the object.'],
  ['spec', 'What should be.'],
  ['status', 'What is.'],
]);
