import { isObject } from '#libs/kernel';
import { convertOldVersion } from './convert';
import type { FieldProblem } from './errors';
import { ConfigurationError } from './errors';
import { Fields, maxInt } from './fields';
import { readExtenders } from './extender';
import { readProfiles } from './profile';
import type { SchedulerConfiguration } from './types';

export interface ParsedConfiguration {
  readonly configuration: SchedulerConfiguration;
  readonly warnings: readonly string[];
}

const group = 'kubescheduler.config.k8s.io';

const topLevel = [
  'apiVersion',
  'kind',
  'parallelism',
  'leaderElection',
  'clientConnection',
  'enableProfiling',
  'enableContentionProfiling',
  'percentageOfNodesToScore',
  'podInitialBackoffSeconds',
  'podMaxBackoffSeconds',
  'profiles',
  'extenders',
  'delayCacheUntilActive',
];

/**
 * A KubeSchedulerConfiguration as an object (from YAML or JSON); absent means all defaults. Versions before v1 are converted, with
 * a warning that shows their v1 form.
 * @throws ConfigurationError with every problem found, each naming its field and what is allowed there
 */
export function parseConfiguration(input?: unknown): ParsedConfiguration {
  if (input === undefined || input === null) return readV1({}, []);
  if (!isObject(input)) throw new ConfigurationError([{ field: '', message: 'a KubeSchedulerConfiguration must be an object' }]);
  const { apiVersion = `${group}/v1`, kind = 'KubeSchedulerConfiguration' } = input;
  if (kind !== 'KubeSchedulerConfiguration') {
    throw new ConfigurationError([{ field: 'kind', message: `must be KubeSchedulerConfiguration, not ${JSON.stringify(kind)}` }]);
  }
  if (apiVersion === `${group}/v1`) return readV1(input, []);
  const converted = convertOldVersion(String(apiVersion), input);
  if (converted === undefined) {
    throw new ConfigurationError([
      {
        field: 'apiVersion',
        message: `must be ${group}/v1 (v1alpha1, v1alpha2, v1beta1, v1beta2 and v1beta3 are converted), not ${JSON.stringify(apiVersion)}`,
      },
    ]);
  }
  const form = JSON.stringify(converted.v1, undefined, 2);
  return readV1(converted.v1, [...converted.warnings, `${String(apiVersion)} is read as ${group}/v1; this is its v1 form:\n${form}`]);
}

function readV1(input: object, warnings: readonly string[]): ParsedConfiguration {
  const problems: FieldProblem[] = [];
  const fields = Fields.of(input, '', problems).allow(...topLevel);
  const podInitialBackoffSeconds = fields.integer('podInitialBackoffSeconds', 1, maxInt, 1);
  const podMaxBackoffSeconds = fields.integer('podMaxBackoffSeconds', 1, maxInt, 10);
  if (podMaxBackoffSeconds < podInitialBackoffSeconds)
    fields.problem(
      'podMaxBackoffSeconds',
      `${podMaxBackoffSeconds} must be at least podInitialBackoffSeconds (${podInitialBackoffSeconds})`,
    );
  const configuration: SchedulerConfiguration = {
    profiles: readProfiles(fields),
    percentageOfNodesToScore: fields.integer('percentageOfNodesToScore', 0, 100, 0),
    podInitialBackoffSeconds,
    podMaxBackoffSeconds,
    parallelism: fields.integer('parallelism', 1, maxInt, 16),
    extenders: readExtenders(fields),
    leaderElect: fields.child('leaderElection').flag('leaderElect', true),
  };
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { configuration, warnings };
}
