/** `KubeSchedulerConfiguration` (kubescheduler.config.k8s.io/v1) as far as it matters here, with its defaults filled in. */
export interface PluginEntry {
  name: string;
  weight?: number;
}

export interface PluginPoint {
  enabled: PluginEntry[];
  disabled: PluginEntry[];
}

export const extensionPoints = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const;
export type ExtensionPoint = (typeof extensionPoints)[number];

export interface Profile {
  schedulerName: string;
  percentageOfNodesToScore?: number;
  plugins: Record<ExtensionPoint | 'multiPoint', PluginPoint>;
  /** Arguments by plugin name. */
  pluginConfig: Map<string, object>;
}

/** How to reach an extender over TLS. Files are read by whoever asks it; `data` is PEM in base64. */
export interface ExtenderTls {
  /** Its certificate is not checked: asked for, or TLS without an authority to check against. */
  insecure: boolean;
  serverName?: string;
  ca?: { file?: string; data?: string };
  cert?: { file?: string; data?: string };
  key?: { file?: string; data?: string };
}

export interface Extender {
  urlPrefix: string;
  filterVerb: string;
  prioritizeVerb: string;
  bindVerb: string;
  preemptVerb: string;
  weight: number;
  httpTimeoutMs: number;
  nodeCacheCapable: boolean;
  ignorable: boolean;
  managedResources: { name: string; ignoredByScheduler?: boolean }[];
  tls?: ExtenderTls;
}

export interface SchedulerConfiguration {
  profiles: Profile[];
  /** 0: by the size of the cluster. */
  percentageOfNodesToScore: number;
  podInitialBackoffSeconds: number;
  podMaxBackoffSeconds: number;
  parallelism: number;
  extenders: Extender[];
  leaderElect: boolean;
}
