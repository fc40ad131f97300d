import { Fields, maxInt } from './fields';
import { pluginArgs } from './plugin-args';
import type { ExtensionPoint, Extender, PluginPoint, Profile } from './types';
import { extensionPoints } from './types';

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

const extenderFields = [
  'urlPrefix',
  'filterVerb',
  'prioritizeVerb',
  'preemptVerb',
  'bindVerb',
  'weight',
  'enableHTTPS',
  'tlsConfig',
  'httpTimeout',
  'nodeCacheCapable',
  'managedResources',
  'ignorable',
];

export function readExtenders(configuration: Fields): Extender[] {
  const extenders = configuration.children('extenders').map(readExtender);
  const binders = extenders.filter((extender) => extender.bindVerb !== '');
  if (binders.length > 1) configuration.problem('extenders', `at most one extender may bind, not ${binders.length}`);
  return extenders;
}

function readExtender(fields: Fields): Extender {
  fields.allow(...extenderFields);
  const urlPrefix = fields.text('urlPrefix', '');
  if (urlPrefix === '') fields.problem('urlPrefix', 'is required');
  const prioritizeVerb = fields.text('prioritizeVerb', '');
  const weight = fields.integer('weight', 0, maxInt, 0);
  if (prioritizeVerb !== '' && weight === 0) fields.problem('weight', 'must be greater than 0 with a prioritizeVerb');
  const names = new Set<string>();
  const managedResources = fields.children('managedResources').map((resource) => {
    resource.allow('name', 'ignoredByScheduler');
    const name = resource.text('name', '');
    if (!name.includes('/')) resource.problem('name', `"${name}" must be an extended resource (domain/name)`);
    if (names.has(name)) resource.problem('name', `"${name}" is listed twice`);
    names.add(name);
    return { name, ignoredByScheduler: resource.flag('ignoredByScheduler', false) };
  });
  return {
    urlPrefix: urlPrefix.replace(/\/+$/, ''),
    filterVerb: fields.text('filterVerb', ''),
    prioritizeVerb,
    bindVerb: fields.text('bindVerb', ''),
    preemptVerb: fields.text('preemptVerb', ''),
    weight,
    httpTimeoutMs: durationMs(fields, 'httpTimeout', 5000),
    nodeCacheCapable: fields.flag('nodeCacheCapable', false),
    ignorable: fields.flag('ignorable', false),
    managedResources,
  };
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as Go writes it (`1m30s`, `500ms`). */
function durationMs(fields: Fields, name: string, fallback: number): number {
  const text = fields.text(name);
  if (text === undefined) return fallback;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    fields.problem(name, `"${text}" must be a duration such as 5s or 500ms`);
    return fallback;
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}
