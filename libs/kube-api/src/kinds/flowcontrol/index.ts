import type { KindDescription } from '../behaviour';
import { flowschemas } from './flowschemas';
import { prioritylevelconfigurations } from './prioritylevelconfigurations';

export { flowControlObjects } from './server-objects';

export const flowcontrolKinds: readonly KindDescription[] = [flowschemas, prioritylevelconfigurations];
