import { isTerminal, type Condition } from '#libs/cluster-state';
import type { JsonObject, KubeObject } from '#libs/kernel';

/** What the kubelet reads of a Pod, in stored form (the API server's defaulting done). Everything may be absent. */
export interface Probe {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
  exec?: { command?: string[] };
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: { port: number; service?: string };
}

export interface HTTPGetAction {
  path?: string;
  port: number | string;
  host?: string;
  scheme?: string;
}

export interface TCPSocketAction {
  port: number | string;
  host?: string;
}

export interface ResourceRequirements {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
}

interface VolumeSource {
  configMap?: VolumeObject;
  secret?: VolumeObject;
}

/** What a volume takes from an object. */
export interface VolumeObject {
  name?: string;
  secretName?: string;
  optional?: boolean;
  items?: { key: string }[];
}

export interface Volume extends VolumeSource {
  name: string;
  projected?: { sources?: VolumeSource[] };
}

export interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  fsGroup?: number;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  sysctls?: { name: string; value?: string }[];
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  /** `Always` makes an init container a sidecar. */
  restartPolicy?: string;
  resources?: ResourceRequirements;
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  volumeMounts?: VolumeMount[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  ports?: { name?: string; containerPort: number }[];
  terminationMessagePolicy?: string;
  lifecycle?: { postStart?: LifecycleHandler; preStop?: LifecycleHandler };
  securityContext?: SecurityContext;
}

/** A hook: one of these. */
export interface LifecycleHandler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: number | string; scheme?: string; host?: string };
  sleep?: { seconds?: number };
  tcpSocket?: object;
}

export interface PodSpec {
  nodeName?: string;
  hostNetwork?: boolean;
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  readinessGates?: { conditionType: string }[];
  volumes?: Volume[];
  imagePullSecrets?: { name?: string }[];
  securityContext?: SecurityContext;
  os?: { name?: string };
}

export interface TerminatedState {
  exitCode: number;
  reason?: string;
  message?: string;
  startedAt: string | null;
  finishedAt: string | null;
  containerID?: string;
}

export interface ContainerStatus extends JsonObject {
  name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  state: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  lastState: any;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
}

export interface PodStatus {
  phase?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  startTime?: string;
  podIP?: string;
  hostIP?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
}

export function specOf(pod: KubeObject): PodSpec {
  return (pod.spec ?? {}) as PodSpec;
}

export function statusOf(pod: KubeObject): PodStatus {
  return (pod.status ?? {}) as PodStatus;
}

/** The kubelet runs the pod: it has begun with it, has not rejected it, and the pod is not over. */
export function isAccepted(pod: KubeObject): boolean {
  return pod.status?.startTime !== undefined && !isTerminal(pod);
}

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Where a container stands in its pod, as Events name it: `spec.containers{app}`. */
export function fieldPathOf(pod: KubeObject, container: string): string {
  const spec = specOf(pod);
  const list = lists.find((each) => spec[each]?.some(({ name }) => name === container)) ?? 'containers';
  return `spec.${list}{${container}}`;
}
