import type { Loose } from '../../../validation/values';
import { warnAboutTemplate } from '../../core/pods/warnings';

const completionsSoftMax = 100_000;
const parallelismSoftMax = 10_000;
const tooManyToTrack =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track ' +
  'completedIndexes when a big number of indexes fail';

export function warnAboutJobSpec(spec: Loose, field: string, warnings: string[]): void {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  if (completionMode === 'Indexed' && completions > completionsSoftMax && parallelism > parallelismSoftMax) {
    warnings.push(`${field}: ${tooManyToTrack}`);
  }
  warnAboutTemplate(spec.template ?? {}, `${field}.template`, warnings);
}
