import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import type { Registry } from '#libs/scheduling';
import { CliError } from '../cli-error';
import type { CheckedConfig } from './check-scheduler-config';

/**
 * A KubeSchedulerConfiguration file (YAML or JSON), checked as the scheduler will read it.
 * @param plugins files of plugins that the configuration may enable
 * @throws CliError naming the file and every field that is off, with what is allowed there.
 */
export async function readSchedulerConfig(path: string, plugins: readonly string[] = []): Promise<CheckedConfig> {
  const content = readYaml(path);
  // The scheduler is loaded only for those who configure it here; for the others it is the app's own business.
  const { checkSchedulerConfig } = await import('./check-scheduler-config.js');
  return checkSchedulerConfig(content, path, await pluginRegistry(plugins));
}

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`--scheduler-config: ${(error as Error).message}`, undefined, 2);
  }
  const lines = new LineCounter();
  // The version whose scalars kube-scheduler's own reader takes: yes and on are true.
  const document = parseDocument(text, { version: '1.1', lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new CliError(`${path}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`, undefined, 2);
  return document.toJS({ maxAliasCount: 1_000 });
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
