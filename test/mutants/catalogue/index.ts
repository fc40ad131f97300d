import type { Mutant } from '../mutant';
import { basisMutants } from './basis';
import { contentMutants } from './content';
import { lifeMutants } from './lives';
import { ruleMutants } from './rules';
import { sealMutants } from './seals';

/** Every way of making a wrong log that verify is held to, by number. */
export const mutants: readonly Mutant[] = [...contentMutants, ...basisMutants, ...lifeMutants, ...ruleMutants, ...sealMutants].sort(
  (a, b) => a.number - b.number,
);
