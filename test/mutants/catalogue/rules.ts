import type { Mutant } from '../mutant';

/** Control planes that break a rule, or that began with something else than the log: their logs are whole in themselves. */
export const ruleMutants: readonly Mutant[] = [
  { number: 1, name: 'a queue that prefers low priority', log: 'low priority first', expected: ['M'] },
  { number: 84, name: 'a process that lived on from an edited snapshot', log: 'an edited snapshot', expected: ['M'] },
  { number: 44, name: 'a scheduler deaf to one pod', log: 'deaf to one pod', expected: ['O', 'L', 'M'] },
];
