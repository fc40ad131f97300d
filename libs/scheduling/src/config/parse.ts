import { isObject } from '#libs/kernel';
import type { ExtensionPoint, PluginPoint, Profile, SchedulerConfiguration } from './types';
import { extensionPoints } from './types';

export interface ParsedConfiguration {
  readonly configuration: SchedulerConfiguration;
  readonly warnings: readonly string[];
}

export function parseConfiguration(input: unknown): ParsedConfiguration {
  const raw = (isObject(input) ? input : {}) as any;
  const profiles: Profile[] = (raw.profiles ?? [{}]).map((profile: any): Profile => {
    const plugins = Object.fromEntries(
      [...extensionPoints, 'multiPoint'].map((point) => [point, { enabled: profile.plugins?.[point]?.enabled ?? [], disabled: profile.plugins?.[point]?.disabled ?? [] }]),
    ) as unknown as Record<ExtensionPoint | 'multiPoint', PluginPoint>;
    return {
      schedulerName: profile.schedulerName ?? 'default-scheduler',
      percentageOfNodesToScore: profile.percentageOfNodesToScore,
      plugins,
      pluginConfig: new Map((profile.pluginConfig ?? []).map((entry: any) => [entry.name, entry.args])),
    };
  });
  return {
    configuration: {
      profiles,
      percentageOfNodesToScore: raw.percentageOfNodesToScore ?? 0,
      podInitialBackoffSeconds: raw.podInitialBackoffSeconds ?? 1,
      podMaxBackoffSeconds: raw.podMaxBackoffSeconds ?? 10,
      parallelism: raw.parallelism ?? 16,
      extenders: [],
      leaderElect: true,
    },
    warnings: [],
  };
}
