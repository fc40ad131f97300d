import type { KubeObject } from '#libs/kernel';
import type { RawLabelSelector, RawNodeSelectorTerm } from './selectors';
import type { Taint, Toleration } from './tolerations';

/** What the scheduler reads of a Pod, in stored form (the API server's defaulting done). Everything may be absent. */
export type ResourceMap = Record<string, string | number>;

export interface RawContainer {
  name: string;
  image?: string;
  restartPolicy?: string;
  ports?: { hostIP?: string; hostPort?: number; protocol?: string; containerPort?: number }[];
  resources?: { requests?: ResourceMap; limits?: ResourceMap };
}

export interface RawAffinityTerm {
  labelSelector?: RawLabelSelector;
  namespaces?: string[];
  namespaceSelector?: RawLabelSelector;
  topologyKey: string;
}

export interface RawPodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: RawAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: RawAffinityTerm }[];
}

export interface RawNodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: RawNodeSelectorTerm[] };
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: RawNodeSelectorTerm }[];
}

export interface RawSpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: RawLabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
}

export interface RawVolume {
  name: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: object;
  gcePersistentDisk?: { pdName: string; readOnly?: boolean };
  awsElasticBlockStore?: { volumeID: string; readOnly?: boolean };
  rbd?: { monitors?: string[]; pool?: string; image: string; readOnly?: boolean };
  iscsi?: { iqn: string; readOnly?: boolean };
  csi?: { driver: string };
}

export interface RawContainerStatus {
  name: string;
  allocatedResources?: ResourceMap;
  resources?: { requests?: ResourceMap };
}

export interface RawPodSpec {
  nodeName?: string;
  schedulerName?: string;
  priority?: number;
  preemptionPolicy?: string;
  nodeSelector?: Record<string, string>;
  affinity?: { nodeAffinity?: RawNodeAffinity; podAffinity?: RawPodAffinity; podAntiAffinity?: RawPodAffinity };
  tolerations?: Toleration[];
  topologySpreadConstraints?: RawSpreadConstraint[];
  containers?: RawContainer[];
  initContainers?: RawContainer[];
  overhead?: ResourceMap;
  resources?: { requests?: ResourceMap; limits?: ResourceMap };
  schedulingGates?: { name: string }[];
  volumes?: RawVolume[];
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
}

export interface RawCondition {
  type: string;
  status: string;
  reason?: string;
}

export interface RawPodStatus {
  phase?: string;
  nominatedNodeName?: string;
  startTime?: string;
  conditions?: RawCondition[];
  containerStatuses?: RawContainerStatus[];
  initContainerStatuses?: RawContainerStatus[];
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[];
}

export interface RawNodeSpec {
  unschedulable?: boolean;
  taints?: Taint[];
}

export interface RawNodeStatus {
  allocatable?: ResourceMap;
  images?: { names?: string[]; sizeBytes?: number }[];
  conditions?: RawCondition[];
}

const none = Object.freeze({});

export function podSpec(pod: KubeObject): RawPodSpec {
  return (pod.spec ?? none) as RawPodSpec;
}

export function podStatus(pod: KubeObject): RawPodStatus {
  return (pod.status ?? none) as RawPodStatus;
}

export function nodeSpec(node: KubeObject): RawNodeSpec {
  return (node.spec ?? none) as RawNodeSpec;
}

export function nodeStatus(node: KubeObject): RawNodeStatus {
  return (node.status ?? none) as RawNodeStatus;
}

/** `spec.nodeName`; '' for a pod that is not assigned. */
export function assignedNode(pod: KubeObject): string {
  return podSpec(pod).nodeName ?? '';
}

export function nominatedNode(pod: KubeObject): string {
  return podStatus(pod).nominatedNodeName ?? '';
}

/** A missing priority counts as 0. */
export function podPriority(pod: KubeObject): number {
  return podSpec(pod).priority ?? 0;
}

export function schedulerNameOf(pod: KubeObject): string {
  return podSpec(pod).schedulerName || 'default-scheduler';
}

export function isTerminal(pod: KubeObject): boolean {
  const phase = podStatus(pod).phase;
  return phase === 'Succeeded' || phase === 'Failed';
}
