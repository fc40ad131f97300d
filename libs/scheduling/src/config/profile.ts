import { Fields, maxInt } from './fields';
import { pluginArgs } from './plugin-args';
import type { ExtensionPoint, PluginPoint, Profile } from './types';
import { extensionPoints } from './types';

/**
 * The profiles of a configuration, defaults filled in: one where none is given. What is wrong is added to the problems of
 * `configuration`.
 */
export function readProfiles(configuration: Fields): Profile[] {
  const raw = configuration.children('profiles');
  const profiles = raw.length === 0 ? [Fields.of({}, 'profiles[0]', configuration.problems)] : raw;
  const names = new Set<string>();
  return profiles.map((fields) => {
    const profile = readProfile(fields, profiles.length > 1);
    if (names.has(profile.schedulerName))
      fields.problem('schedulerName', `"${profile.schedulerName}" is the name of another profile; names must be unique`);
    names.add(profile.schedulerName);
    return profile;
  });
}

function readProfile(fields: Fields, isOneOfSeveral: boolean): Profile {
  fields.allow('schedulerName', 'percentageOfNodesToScore', 'plugins', 'pluginConfig');
  const schedulerName = fields.text('schedulerName', isOneOfSeveral ? '' : 'default-scheduler');
  if (schedulerName === '') fields.problem('schedulerName', 'is required; with more than one profile each must name its scheduler');
  const plugins = fields.child('plugins').allow(...extensionPoints, 'multiPoint');
  const points = [...extensionPoints, 'multiPoint' as const].map((point) => [point, readPoint(plugins.child(point))]);
  return {
    schedulerName,
    percentageOfNodesToScore: fields.integer('percentageOfNodesToScore', 0, 100),
    plugins: Object.fromEntries(points) as Record<ExtensionPoint | 'multiPoint', PluginPoint>,
    pluginConfig: readPluginConfig(fields),
  };
}

function readPoint(point: Fields): PluginPoint {
  point.allow('enabled', 'disabled');
  const names = new Set<string>();
  const enabled = point.children('enabled').map((entry) => {
    entry.allow('name', 'weight');
    const name = entry.text('name', '');
    if (name === '') entry.problem('name', 'is required');
    if (names.has(name)) entry.problem('name', `"${name}" is enabled twice`);
    names.add(name);
    return { name, weight: entry.integer('weight', 0, maxInt) };
  });
  const disabled = point.children('disabled').map((entry) => {
    entry.allow('name', 'weight');
    return { name: entry.text('name', '') };
  });
  return { enabled, disabled };
}

function readPluginConfig(fields: Fields): Map<string, object> {
  const config = new Map<string, object>();
  for (const entry of fields.children('pluginConfig')) {
    entry.allow('name', 'args');
    const name = entry.text('name', '');
    if (name === '') entry.problem('name', 'is required');
    if (config.has(name)) entry.problem('name', `"${name}" has arguments already`);
    const read = pluginArgs.get(name);
    config.set(name, read?.(entry.child('args')) ?? ((entry.raw('args') ?? {}) as object));
  }
  return config;
}
