import type { Mutant } from '../mutant';

/** Control planes that break a rule: their logs are whole in themselves. */
export const ruleMutants: readonly Mutant[] = [
  { number: 1, name: 'a queue that prefers low priority', log: 'low priority first', expected: ['M'] },
  { number: 44, name: 'a scheduler deaf to one pod', log: 'deaf to one pod', expected: ['O', 'L', 'M'] },
];
