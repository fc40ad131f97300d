import type { KindDescription } from '../behaviour';
import { deviceclasses } from './deviceclasses';
import { resourceclaims } from './resourceclaims';
import { resourceclaimtemplates } from './resourceclaimtemplates';
import { resourceslices } from './resourceslices';

export const resourceKinds: readonly KindDescription[] = [deviceclasses, resourceclaims, resourceclaimtemplates, resourceslices];
