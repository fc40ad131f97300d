import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';

export interface Converted {
  readonly v1: JsonObject;
  readonly warnings: readonly string[];
}

const oldVersions = ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1beta2', 'v1beta3'];

/** Fields of old versions that have no meaning any more. */
const dropped = [
  'healthzBindAddress',
  'metricsBindAddress',
  'bindTimeoutSeconds',
  'algorithmSource',
  'hardPodAffinitySymmetricWeight',
  'disablePreemption',
  'failureDomains',
];

/** Plugins of old versions and what does their work today. */
const gonePlugins: Readonly<Record<string, string>> = {
  NodeResourcesLeastAllocated: 'NodeResourcesFit with scoringStrategy LeastAllocated',
  NodeResourcesMostAllocated: 'NodeResourcesFit with scoringStrategy MostAllocated',
  RequestedToCapacityRatio: 'NodeResourcesFit with scoringStrategy RequestedToCapacityRatio',
  SelectorSpread: 'PodTopologySpread with its default constraints',
  DefaultPodTopologySpread: 'PodTopologySpread with its default constraints',
  NodePreferAvoidPods: 'nothing: taints',
  NodeLabel: 'nothing: node affinity',
  ServiceAffinity: 'nothing: inter-pod affinity',
  EBSLimits: 'NodeVolumeLimits',
  GCEPDLimits: 'NodeVolumeLimits',
  AzureDiskLimits: 'NodeVolumeLimits',
  CinderLimits: 'NodeVolumeLimits',
};

/** Before v1beta3 these weighed 1. */
const risenWeights = ['TaintToleration', 'NodeAffinity', 'InterPodAffinity'];

/**
 * A configuration of before v1 in its v1 form, meaning the same; undefined for a version that never was. `disablePreemption` takes
 * DefaultPreemption from every profile's PostFilter.
 */
export function convertOldVersion(apiVersion: string, input: JsonObject): Converted | undefined {
  const version = oldVersions.find(
    (name) => apiVersion === `kubescheduler.config.k8s.io/${name}` || apiVersion === `componentconfig/${name}`,
  );
  if (version === undefined) return undefined;
  const warnings: string[] = [];
  const v1: JsonObject = { ...input, apiVersion: 'kubescheduler.config.k8s.io/v1' };
  for (const name of dropped) delete v1[name];
  if (isObject(v1.leaderElection)) v1.leaderElection = leaderElection(v1.leaderElection);
  const profiles = version === 'v1alpha1' ? [legacyProfile(v1, input, warnings)] : asObjects(v1.profiles, {});
  v1.profiles = profiles.map((profile) => convertProfile(profile, version, input, warnings));
  return { v1, warnings };
}

function asObjects(value: Json | undefined, fallback: JsonObject): JsonObject[] {
  return Array.isArray(value) && value.length > 0 ? value.filter(isObject) : [fallback];
}

/** v1alpha1 knew one scheduler: what belongs to the profile stood at the top. */
function legacyProfile(v1: JsonObject, input: JsonObject, warnings: string[]): JsonObject {
  const { schedulerName, plugins, pluginConfig } = input;
  for (const name of ['schedulerName', 'plugins', 'pluginConfig']) delete v1[name];
  const source = isObject(input.algorithmSource) ? input.algorithmSource : {};
  if (source.policy !== undefined) warnings.push('algorithmSource.policy: policies are gone; the default plugins are used');
  else if (source.provider !== undefined && source.provider !== 'DefaultProvider' && source.provider !== 'ClusterAutoscalerProvider') {
    warnings.push(`algorithmSource.provider: ${JSON.stringify(source.provider)} is unknown; the default plugins are used`);
  }
  const config = Array.isArray(pluginConfig) ? [...pluginConfig] : [];
  if (source.provider === 'ClusterAutoscalerProvider') config.push(fitStrategy('MostAllocated'));
  if (typeof input.hardPodAffinitySymmetricWeight === 'number') {
    config.push({ name: 'InterPodAffinity', args: { hardPodAffinityWeight: input.hardPodAffinitySymmetricWeight } });
  }
  return {
    ...(schedulerName === undefined ? {} : { schedulerName }),
    ...(plugins === undefined ? {} : { plugins: renamedPoints(plugins) }),
    ...(config.length === 0 ? {} : { pluginConfig: config }),
  };
}

/** PreScore was called PostFilter until there was a real one; Unreserve became part of Reserve. */
function renamedPoints(plugins: Json): Json {
  if (!isObject(plugins)) return plugins;
  const { postFilter, unreserve: _unreserve, ...others } = plugins;
  return postFilter === undefined ? others : { ...others, preScore: postFilter };
}

function convertProfile(profile: JsonObject, version: string, input: JsonObject, warnings: string[]): JsonObject {
  const plugins: JsonObject = isObject(profile.plugins) ? { ...profile.plugins } : {};
  const config = Array.isArray(profile.pluginConfig) ? profile.pluginConfig.filter(isObject) : [];
  const strategies = replaceGonePlugins(plugins, warnings);
  if (version !== 'v1beta3') plugins.multiPoint = withOldWeights(plugins.multiPoint);
  if (input.disablePreemption === true) plugins.postFilter = withoutPreemption(plugins.postFilter);
  const kept = config.filter((entry) => !isGone(entry.name)).map(withoutVersion);
  const pluginConfig = [...kept, ...strategies.filter((entry) => !kept.some((other) => other.name === entry.name))];
  return { ...profile, plugins, ...(pluginConfig.length === 0 ? {} : { pluginConfig }) };
}

function isGone(name: Json | undefined): name is string {
  return typeof name === 'string' && Object.hasOwn(gonePlugins, name);
}

/** Arguments that name their own old version would not be understood. */
function withoutVersion(entry: JsonObject): JsonObject {
  if (!isObject(entry.args)) return entry;
  const { apiVersion: _apiVersion, kind: _kind, ...args } = entry.args;
  return { ...entry, args };
}

function replaceGonePlugins(plugins: JsonObject, warnings: string[]): JsonObject[] {
  const strategies: JsonObject[] = [];
  for (const [point, lists] of Object.entries(plugins)) {
    if (!isObject(lists)) continue;
    const converted: JsonObject = {};
    for (const [list, entries] of Object.entries(lists)) {
      if (!Array.isArray(entries)) continue;
      converted[list] = entries.filter((entry) => {
        if (!isObject(entry) || !isGone(entry.name)) return true;
        warnings.push(`plugins.${point}.${list}: ${entry.name} is gone; today: ${gonePlugins[entry.name]}`);
        if (list === 'enabled' && entry.name === 'NodeResourcesMostAllocated') strategies.push(fitStrategy('MostAllocated'));
        return false;
      });
    }
    plugins[point] = converted;
  }
  return strategies;
}

function fitStrategy(type: string): JsonObject {
  const resources = [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ];
  return { name: 'NodeResourcesFit', args: { scoringStrategy: { type, resources } } };
}

function withOldWeights(multiPoint: Json | undefined): JsonObject {
  const lists = isObject(multiPoint) ? multiPoint : {};
  const enabled = Array.isArray(lists.enabled) ? lists.enabled : [];
  const disabled = Array.isArray(lists.disabled) ? lists.disabled : [];
  const listed = new Set([...enabled, ...disabled].filter(isObject).map((entry) => entry.name));
  if (listed.has('*')) return { ...lists };
  const added = risenWeights.filter((name) => !listed.has(name)).map((name) => ({ name, weight: 1 }));
  return { ...lists, enabled: [...enabled, ...added] };
}

function withoutPreemption(postFilter: Json | undefined): JsonObject {
  const lists = isObject(postFilter) ? postFilter : {};
  const disabled = Array.isArray(lists.disabled) ? lists.disabled : [];
  return { ...lists, disabled: [...disabled, { name: 'DefaultPreemption' }] };
}

function leaderElection(old: JsonObject): JsonObject {
  const { lockObjectName, lockObjectNamespace, ...others } = old;
  return {
    ...others,
    ...(lockObjectName === undefined ? {} : { resourceName: lockObjectName }),
    ...(lockObjectNamespace === undefined ? {} : { resourceNamespace: lockObjectNamespace }),
  };
}
