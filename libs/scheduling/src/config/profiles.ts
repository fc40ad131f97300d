import type { Plugin } from '../framework/interface';
import type { PluginSet } from '../framework/runtime';
import { Framework } from '../framework/runtime';
import type { PluginFactory, Registry } from '../plugins/registry';
import { defaultRegistry } from '../plugins/registry';
import { defaultPlugins } from './default-plugins';
import { ConfigurationError } from './errors';
import { parseConfiguration } from './parse';
import type { ExtensionPoint, PluginEntry, PluginPoint, Profile, SchedulerConfiguration } from './types';
import { extensionPoints } from './types';

/** The profiles of a configuration, ready to run. A pod's `spec.schedulerName` picks one. */
export interface Profiles {
  readonly configuration: SchedulerConfiguration;
  /** Said about what was read, one line each: older versions converted, fields without effect. */
  readonly warnings: readonly string[];
  readonly bySchedulerName: ReadonlyMap<string, Framework>;
  get(schedulerName: string): Framework | undefined;
}

export interface ProfileOptions {
  /** Plugins beside the default ones, by name. */
  registry?: Registry;
}

/**
 * From the text or object of a KubeSchedulerConfiguration (absent: all defaults) to runnable profiles.
 * @throws ConfigurationError naming each bad field and what is allowed there
 */
export function createProfiles(config?: unknown, options: ProfileOptions = {}): Profiles {
  const { configuration, warnings } = parseConfiguration(config);
  const registry = new Map<string, PluginFactory>([...defaultRegistry, ...(options.registry ?? [])]);
  const frameworks = new Map<string, Framework>();
  const managed = configuration.extenders.flatMap((extender) => extender.managedResources);
  const ignored = managed.filter((resource) => resource.ignoredByScheduler).map((resource) => resource.name);
  for (const [index, profile] of configuration.profiles.entries()) {
    frameworks.set(profile.schedulerName, createFramework(profile, registry, `profiles[${index}]`, ignored));
  }
  return { configuration, warnings, bySchedulerName: frameworks, get: (name) => frameworks.get(name) };
}

const methodOf: Record<ExtensionPoint, string> = {
  preEnqueue: 'preEnqueue',
  queueSort: 'less',
  preFilter: 'preFilter',
  filter: 'filter',
  postFilter: 'postFilter',
  preScore: 'preScore',
  score: 'score',
  reserve: 'reserve',
  permit: 'permit',
  preBind: 'preBind',
  bind: 'bind',
  postBind: 'postBind',
};

function implementsPoint(plugin: Plugin, point: ExtensionPoint): boolean {
  return typeof (plugin as unknown as Record<string, unknown>)[methodOf[point]] === 'function';
}

function createFramework(profile: Profile, registry: Registry, path: string, ignoredByExtenders: readonly string[]): Framework {
  const multiPoint = mergedMultiPoint(profile.plugins.multiPoint);
  const instances = new Map<string, Plugin>();
  const instanceOf = (name: string, field: string): Plugin => {
    let plugin = instances.get(name);
    if (plugin === undefined) {
      const factory = registry.get(name);
      if (factory === undefined)
        throw new ConfigurationError([{ field, message: `no plugin is named "${name}"; known are ${[...registry.keys()].join(', ')}` }]);
      instances.set(name, (plugin = factory(argsOf(profile, name, ignoredByExtenders))));
    }
    return plugin;
  };
  const chosen = (point: ExtensionPoint): Plugin[] => {
    const ofMultiPoint = multiPoint
      .filter((entry) => implementsPoint(instanceOf(entry.name, `${path}.plugins.multiPoint`), point))
      .map((entry) => entry.name);
    return orderedNames(profile.plugins[point], ofMultiPoint).map((name) => {
      const plugin = instanceOf(name, `${path}.plugins.${point}`);
      if (implementsPoint(plugin, point)) return plugin;
      throw new ConfigurationError([{ field: `${path}.plugins.${point}`, message: `plugin "${name}" does not extend ${point}` }]);
    });
  };
  const points = Object.fromEntries(extensionPoints.map((point) => [point, chosen(point)])) as unknown as Record<ExtensionPoint, Plugin[]>;
  const weights = scoreWeights(profile.plugins.score.enabled, multiPoint);
  const set = {
    ...points,
    score: points.score.map((plugin) => ({ plugin, weight: weights.get(plugin.name) || 1 })),
  } as unknown as PluginSet;
  checkSet(set, path);
  return new Framework(profile.schedulerName, set, profile.percentageOfNodesToScore);
}

/** Resources that an extender alone accounts for are nothing to NodeResourcesFit. */
function argsOf(profile: Profile, name: string, ignoredByExtenders: readonly string[]): object | undefined {
  const args = profile.pluginConfig.get(name) as { ignoredResources?: string[] } | undefined;
  if (name !== 'NodeResourcesFit' || ignoredByExtenders.length === 0) return args;
  return { ...args, ignoredResources: [...(args?.ignoredResources ?? []), ...ignoredByExtenders] };
}

function checkSet(set: PluginSet, path: string): void {
  if (set.queueSort.length !== 1) {
    throw new ConfigurationError([
      { field: `${path}.plugins.queueSort`, message: `exactly one plugin must sort the queue, not ${set.queueSort.length}` },
    ]);
  }
  if (set.bind.length === 0) {
    throw new ConfigurationError([{ field: `${path}.plugins.bind`, message: 'at least one plugin must bind' }]);
  }
}

/** The default plugins less those disabled; one that is listed again keeps its place and takes the new weight; new ones follow. */
function mergedMultiPoint(custom: PluginPoint): PluginEntry[] {
  const disabled = new Set(custom.disabled.map((entry) => entry.name));
  const listed = new Map(custom.enabled.map((entry) => [entry.name, entry]));
  const merged: PluginEntry[] = [];
  if (!disabled.has('*')) {
    for (const entry of defaultPlugins) {
      if (disabled.has(entry.name)) continue;
      merged.push(listed.get(entry.name) ?? entry);
    }
  }
  const names = new Set(merged.map((entry) => entry.name));
  for (const entry of custom.enabled) if (!names.has(entry.name)) merged.push(entry);
  return merged;
}

/**
 * At one extension point: first what the point lists again of multiPoint (in the point's order), then the rest of multiPoint,
 * then what only the point lists.
 */
function orderedNames(point: PluginPoint, ofMultiPoint: readonly string[]): string[] {
  const enabled = point.enabled.map((entry) => entry.name);
  const disabled = new Set(point.disabled.map((entry) => entry.name));
  if (disabled.has('*')) return enabled;
  const remaining = ofMultiPoint.filter((name) => !disabled.has(name));
  const again = enabled.filter((name) => remaining.includes(name));
  return [...again, ...remaining.filter((name) => !enabled.includes(name)), ...enabled.filter((name) => !again.includes(name))];
}

function scoreWeights(ofPoint: readonly PluginEntry[], multiPoint: readonly PluginEntry[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const entry of [...ofPoint, ...multiPoint]) if (!weights.has(entry.name)) weights.set(entry.name, entry.weight || 1);
  return weights;
}
