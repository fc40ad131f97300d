import { clusterWords } from './cluster';
import { containerWords } from './containers';
import { metadataWords } from './metadata';
import { podWords } from './pods';
import { schedulingWords } from './scheduling';
import { workloadWords } from './workloads';

const all = [podWords, containerWords, clusterWords, workloadWords, schedulingWords, metadataWords];

/**
 * What `kubectl explain` says, in our own words: of the kinds that people work with daily the upper levels, of others what is of all
 * kinds. Key: definition, or definition and field.
 */
export const descriptions: ReadonlyMap<string, string> = new Map(
  all.flatMap((words) =>
    Object.entries(words).flatMap(([definition, fields]) =>
      Object.entries(fields).map(([field, text]): [string, string] => [field === '' ? definition : `${definition}.${field}`, text]),
    ),
  ),
);

/** A field without words of its own, on any kind. */
export const commonDescriptions: ReadonlyMap<string, string> = new Map([
  ['apiVersion', 'Group and version of the kind.'],
  ['kind', 'The kind of the object.'],
  ['metadata', 'Name, labels and what the API itself keeps about the object.'],
  ['spec', 'What should be.'],
  ['status', 'What is.'],
]);
