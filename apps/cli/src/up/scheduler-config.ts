import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { isObject, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';

export interface SchedulerConfigFile {
  config: JsonObject;
  /** One text each; that of an older version shows its v1 form. */
  warnings: readonly string[];
}

/**
 * A KubeSchedulerConfiguration file (YAML or JSON), checked as the scheduler will read it.
 * @throws CliError naming the file and every field that is off, with what is allowed there.
 */
export async function readSchedulerConfig(path: string): Promise<SchedulerConfigFile> {
  return checkSchedulerConfig(readYaml(path), path);
}

/** @param place of the configuration, for messages: a file, or a part of one. */
export async function checkSchedulerConfig(content: unknown, place: string): Promise<SchedulerConfigFile> {
  // The scheduler is loaded only for those who configure it here; for the others it is the app's own business.
  const { ConfigurationError, createProfiles } = await import('#libs/scheduling');
  if (!isObject(content)) throw new CliError(`${place}: a KubeSchedulerConfiguration must be a map`, example, 2);
  try {
    const { warnings } = createProfiles(content);
    return { config: content, warnings: warnings.map((warning) => `${place}: ${warning}`) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const lines = error.problems.map(({ field, message }) => `${place}: ${field === '' ? '' : `${field}: `}${message}`);
    throw new CliError(lines.join('\n'), 'Every field is in docs/scheduler.md.', 2);
  }
}

const example = 'It begins with apiVersion: kubescheduler.config.k8s.io/v1 and kind: KubeSchedulerConfiguration.';

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
