import type { KindDescription } from '../behaviour';
import { csidrivers } from './csidrivers';
import { csinodes } from './csinodes';
import { csistoragecapacities } from './csistoragecapacities';
import { storageclasses } from './storageclasses';
import { volumeattachments } from './volumeattachments';
import { volumeattributesclasses } from './volumeattributesclasses';

export const storageKinds: readonly KindDescription[] = [
  storageclasses,
  volumeattributesclasses,
  csidrivers,
  csinodes,
  csistoragecapacities,
  volumeattachments,
];
