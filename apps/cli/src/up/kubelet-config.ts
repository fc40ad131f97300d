import type { EvictionSettings, KubeletOptions } from '#libs/kubelet';
import { isObject, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';
import { readYaml } from './read-yaml';
import type { UpFlags } from './up-flags';

/** Fields of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1 of v1.34). Of most of them a simulated kubelet has no use. */
const fields: ReadonlySet<string> = new Set(
  `
  address allowedUnsafeSysctls apiVersion authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS
  clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize
  containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint contentType cpuCFSQuota cpuCFSQuotaPeriod
  cpuManagerPolicy cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff enableContentionProfiling
  enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers enableProfilingHandler enableServer
  enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable eventBurst eventRecordQPS evictionHard
  evictionMaxPodGracePeriod evictionMinimumReclaim evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod
  failCgroupV failSwapOn featureGates fileCheckFrequency hairpinMode healthzBindAddress healthzPort httpCheckFrequency
  imageGCHighThresholdPercent imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge
  imagePullCredentialsVerificationPolicy imageServiceEndpoint iptablesDropBit iptablesMasqueradeBit
  kernelMemcgNotification kind kubeAPIBurst kubeAPIQPS kubeReserved kubeReservedCgroup kubeletCgroups
  localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles maxParallelImagePulls maxPods
  memoryManagerPolicy memorySwap memoryThrottlingFactor mergeDefaultEvictionSettings nodeLeaseDurationSeconds
  nodeStatusMaxImages nodeStatusReportFrequency nodeStatusUpdateFrequency oomScoreAdj podCIDR podLogsDir podPidsLimit
  podsPerCore port preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved readOnlyPort
  registerNode registerWithTaints registryBurst registryPullQPS reservedMemory reservedSystemCPUs resolvConf
  rotateCertificates runOnce runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap
  showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods
  singleProcessOOMKill staticPodPath staticPodURL staticPodURLHeader streamingConnectionIdleTimeout syncFrequency
  systemCgroups systemReserved systemReservedCgroup tlsCertFile tlsCipherSuites tlsMinVersion tlsPrivateKeyFile
  topologyManagerPolicy topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir
  volumeStatsAggPeriod
`
    .trim()
    .split(/\s+/),
);

const maps = ['evictionHard', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim'] as const;

/** What is set of the kubelets. */
export async function kubeletSettings({ heartbeats, kubeletConfig }: UpFlags): Promise<KubeletOptions> {
  return {
    ...(heartbeats ? { heartbeats: true } : {}),
    ...(kubeletConfig === undefined ? {} : await readKubeletConfig(kubeletConfig)),
  };
}

/**
 * What a KubeletConfiguration file (YAML or JSON) says of eviction and of pulls. Its other fields are accepted, and say nothing to
 * simulated kubelets.
 * @throws CliError naming the file and what is off
 */
export async function readKubeletConfig(path: string): Promise<KubeletOptions> {
  const content = readYaml(path, '--kubelet-config');
  const wrong = (message: string): CliError => new CliError(`${path}: ${message}`, undefined, 2);
  if (!isObject(content)) throw wrong('a KubeletConfiguration is a mapping');
  const { apiVersion, kind } = content;
  if (apiVersion !== 'kubelet.config.k8s.io/v1beta1' || kind !== 'KubeletConfiguration')
    throw wrong(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}": kubelet.config.k8s.io/v1beta1, KubeletConfiguration`,
    );
  const unknown = Object.keys(content).find((name) => !fields.has(name));
  if (unknown !== undefined) throw wrong(`unknown field "${unknown}"`);
  checkShapes(content, wrong);
  const { evictionConfigOf } = await import('#libs/kubelet');
  try {
    return { eviction: evictionConfigOf(content as EvictionSettings), ...pullsOf(content, wrong) };
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function pullsOf(
  { serializeImagePulls: serialize, maxParallelImagePulls: max }: JsonObject,
  wrong: (message: string) => CliError,
): KubeletOptions {
  if (serialize !== undefined && typeof serialize !== 'boolean') throw wrong('serializeImagePulls: true or false');
  if (max !== undefined && !Number.isInteger(max)) throw wrong('maxParallelImagePulls: a whole number');
  if ((max as number) < 1) throw wrong(`invalid configuration: maxParallelImagePulls ${max} must be a positive number`);
  if (serialize && (max as number) > 1)
    throw wrong(
      'invalid configuration: maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
    );
  return {
    ...(serialize === undefined ? {} : { serializeImagePulls: serialize }),
    ...(max === undefined ? {} : { maxParallelImagePulls: max as number }),
  };
}

function checkShapes(content: JsonObject, wrong: (message: string) => CliError): void {
  for (const name of maps) {
    const map = content[name];
    if (map !== undefined && !(isObject(map) && Object.values(map).every((value) => typeof value === 'string')))
      throw wrong(`${name}: texts by signal, such as memory.available: 100Mi`);
  }
  const { evictionMaxPodGracePeriod: grace, evictionPressureTransitionPeriod: period, enforceNodeAllocatable: enforced } = content;
  if (grace !== undefined && !(Number.isInteger(grace) && (grace as number) >= 0))
    throw wrong('evictionMaxPodGracePeriod: whole seconds, 0 or more');
  if (period !== undefined && typeof period !== 'string') throw wrong('evictionPressureTransitionPeriod: a duration, such as 5m0s');
  if (enforced !== undefined && !(Array.isArray(enforced) && enforced.every((each) => typeof each === 'string')))
    throw wrong('enforceNodeAllocatable: a list of none, pods, system-reserved, kube-reserved');
}
