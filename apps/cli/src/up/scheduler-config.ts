import type { Registry } from '#libs/scheduling';
import { CliError } from '../cli-error';
import type { CheckedConfig } from './check-scheduler-config';
import { readYaml } from './read-yaml';

/**
 * A KubeSchedulerConfiguration file (YAML or JSON), checked as the scheduler will read it.
 * @param plugins files of plugins that the configuration may enable
 * @throws CliError naming the file and every field that is off, with what is allowed there.
 */
export async function readSchedulerConfig(path: string, plugins: readonly string[] = []): Promise<CheckedConfig> {
  const content = readYaml(path, '--scheduler-config');
  // The scheduler is loaded only for those who configure it here; for the others it is the app's own business.
  const { checkSchedulerConfig } = await import('./check-scheduler-config.js');
  return checkSchedulerConfig(content, path, await pluginRegistry(plugins));
}

/** @throws CliError naming the file that is no module of plugins. */
export async function pluginRegistry(files: readonly string[]): Promise<Registry | undefined> {
  if (files.length === 0) return undefined;
  const { loadPlugins } = await import('#apps/scheduler');
  try {
    return loadPlugins(files);
  } catch (error) {
    throw new CliError(`--scheduler-plugins: ${(error as Error).message}`, 'How to write one: docs/plugins.md.', 2);
  }
}
