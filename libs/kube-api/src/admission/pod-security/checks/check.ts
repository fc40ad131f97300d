import type { JsonObject } from '#libs/kernel';

/** What a pod is told by, or the template of one. */
export interface PodLike {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface SecurityContext extends JsonObject {
  appArmorProfile?: { type: string };
  seccompProfile?: { type: string };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  windowsOptions?: { hostProcess?: boolean };
  runAsNonRoot?: boolean;
  runAsUser?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
  capabilities?: { add?: string[]; drop?: string[] };
  sysctls?: { name: string }[];
}

interface Handler {
  httpGet?: { host?: string };
  tcpSocket?: { host?: string };
}

export interface Container {
  name: string;
  securityContext?: SecurityContext;
  ports?: { hostPort?: number }[];
  livenessProbe?: Handler;
  readinessProbe?: Handler;
  startupProbe?: Handler;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
  securityContext?: SecurityContext;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  os?: { name: string };
  runtimeClassName?: string;
}

/** Why a pod is not safe enough: in short, and what in it is the matter. */
export interface Violation {
  reason: string;
  detail: string;
}

export type CheckPod = (pod: PodLike) => Violation | undefined;

/** A rule of a level, as it has been since each of some minor versions. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** The oldest first. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** A baseline rule that this one stands in for. */
  readonly overrides?: string;
}

/** In the order in which upstream looks at them. */
export function containersOf({ spec }: PodLike): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** Names of the containers for which this holds. */
export function containersThat(pod: PodLike, holds: (context: SecurityContext, container: Container) => boolean): string[] {
  return containersOf(pod)
    .filter((container) => holds(container.securityContext ?? {}, container))
    .map(({ name }) => name);
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

export function plural(singular: string, several: string, count: number): string {
  return count === 1 ? singular : several;
}

/** `container "a"`, `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural('container', 'containers', names.length)} ${quoted(names)}`;
}

/** The pod itself, where it is the matter, and the containers that are; empty: neither is. */
export function setters(isPod: boolean, containers: readonly string[]): string[] {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])];
}

/** Each once, sorted. */
export function sortedSet(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

/** Windows has no such thing, so nothing has to be said of it. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}
