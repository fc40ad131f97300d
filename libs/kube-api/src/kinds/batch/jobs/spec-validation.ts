import { invalidValue, required, tooLong, unsupported } from '../../../status/field-error';
import { byteLength, isDnsSubdomain, patternText } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { isSet, validateNonNegative, validateTexts, type Errors, type Loose } from '../../../validation/values';
import { validatePodTemplate } from '../../core/pods/validation/pod-template';
import { validatePodFailurePolicy, validateSuccessPolicy } from './policies';

const indexedParallelismMax = 100_000;
const indexedFailedMax = 100_000;
/** Above this many completions, an Indexed Job that counts failures by index is held to smaller numbers. */
const completionsSoftMax = 100_000;
const parallelismOfManyMax = 10_000;
const failedOfManyMax = 10_000;
const managedByBytesMax = 63;

/** The spec of a job but for its selector: of a Job, or of those that a CronJob makes. */
export function validateJobSpec(spec: Loose, field: string, errors: Errors): void {
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex'];
  for (const count of [...counts, 'maxFailedIndexes']) validateNonNegative(spec[count], `${field}.${count}`, errors);
  if (isSet(spec.maxFailedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (isSet(spec.managedBy)) validateManagedBy(spec.managedBy, `${field}.managedBy`, errors);
  validateCompletionMode(spec, field, errors);
  if (isSet(spec.podFailurePolicy)) validatePodFailurePolicy(spec, `${field}.podFailurePolicy`, errors);
  if (isSet(spec.successPolicy)) {
    if (spec.completionMode === 'Indexed') validateSuccessPolicy(spec, `${field}.successPolicy`, errors);
    else {
      const shown = goShape('SuccessPolicy', spec.successPolicy);
      errors.push(invalidValue(`${field}.successPolicy`, shown, 'requires indexed completion mode'));
    }
  }
  if (isSet(spec.podReplacementPolicy)) {
    const supported = isSet(spec.podFailurePolicy) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
    if (!supported.includes(spec.podReplacementPolicy)) {
      errors.push(unsupported(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, supported));
    }
  }
  validatePodTemplate(spec.template ?? {}, `${field}.template`, errors);
  validateRestartPolicy(spec, `${field}.template.spec.restartPolicy`, errors);
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** `acme.io/foo`: the controller that sees to the job in place of the usual one. */
function validateManagedBy(name: string, field: string, errors: Errors): void {
  validateDomainPrefixedPath(name, field, errors);
  if (byteLength(name) > managedByBytesMax) errors.push(tooLong(field, managedByBytesMax));
}

function validateDomainPrefixedPath(name: string, field: string, errors: Errors): void {
  const slash = name.indexOf('/');
  const [host, path] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
  if (name === '') errors.push(required(field));
  else if (host === '' || path === '') errors.push(invalidValue(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  else {
    validateTexts(isDnsSubdomain(host), host, field, errors);
    if (!new RegExp(`^${httpPath}$`).test(path)) errors.push(invalidValue(field, path, patternText('Invalid path', httpPath)));
  }
}

function validateCompletionMode(spec: Loose, field: string, errors: Errors): void {
  const { completionMode: mode } = spec;
  if (isSet(mode) && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(unsupported(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed']));
  }
  if (mode === 'Indexed') validateIndexed(spec, field, errors);
  if (isSet(mode) && mode !== 'NonIndexed') return;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (isSet(spec[name])) errors.push(invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
  }
}

function validateIndexed(
  { completions, parallelism, maxFailedIndexes: failed, backoffLimitPerIndex }: Loose,
  field: string,
  errors: Errors,
): void {
  if (!isSet(completions)) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > indexedParallelismMax) {
    const text = `must be less than or equal to ${indexedParallelismMax} when completion mode is Indexed`;
    errors.push(invalidValue(`${field}.parallelism`, parallelism, text));
  }
  if (isSet(completions) && isSet(failed) && failed > completions) {
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, 'must be less than or equal to completions'));
  }
  if (failed > indexedFailedMax) {
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${indexedFailedMax}`));
  }
  if (!(completions > completionsSoftMax) || !isSet(backoffLimitPerIndex)) return;
  const above = `when completions are above ${completionsSoftMax} and used with backoff limit per index`;
  if (!isSet(failed)) {
    errors.push(required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${completionsSoftMax}`));
  }
  if (parallelism > parallelismOfManyMax) {
    errors.push(invalidValue(`${field}.parallelism`, parallelism, `must be less than or equal to ${parallelismOfManyMax} ${above}`));
  }
  if (failed > failedOfManyMax) {
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${failedOfManyMax} ${above}`));
  }
}

/** Pods of a job end. A policy that looks at failed pods needs them to stay failed. */
function validateRestartPolicy(spec: Loose, field: string, errors: Errors): void {
  const policy: string = spec.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') errors.push(required(field, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(unsupported(field, policy, ['OnFailure', 'Never']));
  else if (isSet(spec.podFailurePolicy) && policy !== 'Never') {
    errors.push(invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}
