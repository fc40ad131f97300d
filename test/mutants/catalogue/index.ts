import type { Mutant } from '../mutant';
import { basisMutants } from './basis';
import { contentMutants } from './content';
import { lifeMutants } from './lives';

/** Every way of making a wrong log that verify is held to, by number. */
export const mutants: readonly Mutant[] = [...contentMutants, ...basisMutants, ...lifeMutants].sort((a, b) => a.number - b.number);
