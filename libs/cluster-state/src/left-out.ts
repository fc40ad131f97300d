import { categoryOf, decisionStream, type DecisionStream } from '#libs/events';
import type { GroupResource } from '#libs/kernel';

/** What a fold leaves out because nobody in its process reads it. What is not named is folded: kinds that are yet to come, too. */
export interface LeftOut {
  resources: readonly GroupResource[];
  streams: readonly DecisionStream[];
}

/** Names of the streams that are left out begin so. */
export function prefixesOf(cluster: string, { resources, streams }: LeftOut): string[] {
  return [
    ...resources.map((resource) => `${categoryOf(cluster, resource)}-`),
    ...streams.map((stream) => `${decisionStream(cluster, stream)}/`),
  ];
}

/** A resource was read that the fold of this process leaves out. Our own mistake, and better an end than decisions on half of a cluster. */
export class LeftOutError extends Error {
  override name = 'LeftOutError';

  constructor(readonly resource: GroupResource) {
    super(`"${resource}" is read in a process that leaves it out of its fold`);
  }
}
