import { isObject, type JsonObject } from '#libs/kernel';
import { ConfigurationError, createProfiles, type Registry } from '#libs/scheduling';
import { CliError } from '../cli-error';

export interface CheckedConfig {
  config: JsonObject;
  /** One text each; that of an older version shows its v1 form. */
  warnings: readonly string[];
}

const example = 'It begins with apiVersion: kubescheduler.config.k8s.io/v1 and kind: KubeSchedulerConfiguration.';

/**
 * @param place of the configuration, for messages: a file, or a part of one
 * @throws CliError with a line for every field that is off
 */
export function checkSchedulerConfig(content: unknown, place: string, registry?: Registry): CheckedConfig {
  if (!isObject(content)) throw new CliError(`${place}: a KubeSchedulerConfiguration must be a map`, example, 2);
  try {
    const { warnings } = createProfiles(content, { registry });
    return { config: content, warnings: warnings.map((warning) => `${place}: ${warning}`) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const lines = error.problems.map(({ field, message }) => `${place}: ${field === '' ? '' : `${field}: `}${message}`);
    throw new CliError(lines.join('\n'), 'Every field is in docs/scheduler.md.', 2);
  }
}
