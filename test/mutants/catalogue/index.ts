import type { Mutant } from '../mutant';
import { basisMutants } from './basis';
import { contentMutants } from './content';
import { kubeletMutants } from './kubelets';
import { lifeMutants } from './lives';
import { roundMutants } from './rounds';
import { ruleMutants } from './rules';
import { sealMutants } from './seals';
import { webhookMutants } from './webhooks';

const all = [
  ...contentMutants,
  ...basisMutants,
  ...kubeletMutants,
  ...lifeMutants,
  ...roundMutants,
  ...ruleMutants,
  ...sealMutants,
  ...webhookMutants,
];

/** Every way of making a wrong log that verify is held to, by number. */
export const mutants: readonly Mutant[] = all.sort((a, b) => a.number - b.number);
