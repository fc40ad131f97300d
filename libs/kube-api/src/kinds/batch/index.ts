import type { KindDescription } from '../behaviour';
import { cronjobs } from './cronjobs';
import { jobs } from './jobs';

export const batchKinds: readonly KindDescription[] = [jobs, cronjobs];
