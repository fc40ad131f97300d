import { isObject, type Json, type JsonObject } from '#libs/kernel';
import type { Profiles, Registry } from '#libs/scheduling';

/** Changes whenever the same basis may give another decision. */
const behaviour = 'v1.34/3';

/** The plugins that are not ours are part of the behaviour: decisions made with another version of one are not to be compared. */
export function behaviourWith(profiles: Profiles, registry: Registry | undefined): string {
  if (!registry || registry.size === 0) return behaviour;
  const own = new Set<string>();
  for (const framework of profiles.bySchedulerName.values()) {
    for (const { name, version = '0' } of framework.all()) if (registry.has(name)) own.add(`${name}@${version}`);
  }
  return [behaviour, ...[...own].sort()].join('+');
}

/** Keys and certificates of extenders decide nothing, and have no place in a log. */
export function withoutSecrets(config: JsonObject): JsonObject {
  if (!Array.isArray(config.extenders)) return config;
  const extenders = config.extenders.map((extender): Json => {
    if (!isObject(extender) || extender.tlsConfig === undefined) return extender;
    const { tlsConfig: _secret, ...rest } = extender;
    return rest;
  });
  return { ...config, extenders };
}
