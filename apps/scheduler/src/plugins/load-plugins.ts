import { createRequire } from 'node:module';
import type { PluginFactory, Registry } from '#libs/scheduling';

/** A module of plugins that cannot be used; the message names the file and what is missing. */
export class PluginModuleError extends Error {
  override readonly name = 'PluginModuleError';
}

const load = createRequire(__filename);

/**
 * Plugins of one's own from JavaScript modules (CommonJS or ES): each exports `registry`, a map or an object from the plugin's name to
 * a function that makes it of its arguments.
 * @param files absolute paths
 * @throws PluginModuleError
 */
export function loadPlugins(files: readonly string[]): Registry | undefined {
  if (files.length === 0) return undefined;
  const registry = new Map<string, PluginFactory>();
  for (const file of files) {
    for (const [name, factory] of entriesOf(file)) {
      if (registry.has(name)) throw new PluginModuleError(`${file}: another module has a plugin "${name}" already`);
      registry.set(name, factory);
    }
  }
  return registry;
}

function entriesOf(file: string): [string, PluginFactory][] {
  let exported: Record<string, unknown>;
  try {
    exported = load(file) as Record<string, unknown>;
  } catch (error) {
    throw new PluginModuleError(`${file}: ${(error as Error).message.split('\n')[0]}`);
  }
  const registry = exported.registry ?? (exported.default as Record<string, unknown> | undefined)?.registry;
  if (typeof registry !== 'object' || registry === null) {
    throw new PluginModuleError(`${file}: exports no "registry" (a map or an object from plugin names to functions)`);
  }
  const entries = registry instanceof Map ? [...registry] : Object.entries(registry);
  for (const [name, factory] of entries) {
    if (typeof factory !== 'function') throw new PluginModuleError(`${file}: registry.${String(name)} is no function that makes a plugin`);
  }
  return entries as [string, PluginFactory][];
}
