import type { JsonObject } from '#libs/kernel';
import type { KubeletOptions } from '#libs/kubelet';

/** What an operator may set, for all apps together; each app reads its part. */
export interface AppOptions {
  /** Name of the cluster, the first word of its stream names. */
  cluster: string;
  seed: string;
  /** Version of the program, for the record of each start. */
  build?: string;
  /** Absent: real time. */
  clock?: ClockOptions;
  /** Controllers to run of each app: `pdb-controller/eviction` runs that one alone. Absent: all. */
  controllers?: Readonly<Record<string, readonly string[]>>;
  apiserver?: ApiserverOptions;
  scheduler?: SchedulerOptions;
  kubelet?: KubeletOptions;
  controllerManager?: ControllerManagerOptions;
}

/** What makes the clocks of several processes one. */
export interface ClockOptions {
  /** Cluster seconds a real second. */
  speed: number;
  /** Cluster time at `origin`, ms since the epoch. */
  start: number;
  /** Real time, ms since the epoch. */
  origin: number;
}

export interface ApiserverOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** PEM. */
  certificate: string;
  privateKey: string;
  /** PEM of the CA that signed the certificate. */
  ca: string;
  /** Bearer token of the administrator. */
  token: string;
  /** Bounds of the HTTP server other than its own, by name. */
  limits?: Readonly<Record<string, number>>;
}

export interface SchedulerOptions {
  /** A KubeSchedulerConfiguration, read and checked. */
  config?: JsonObject;
  /** JavaScript modules that export a `registry` of plugins, as absolute paths. */
  plugins?: readonly string[];
  /** Name of this scheduler among several. */
  identity?: string;
}

export interface ControllerManagerOptions {
  /** Nodes to simulate from the start. */
  nodes?: { count: number; cpu: string; memory: string; pods: number };
}
