export { approvalOf, isProtectedGroup, type Approval } from './approval';
export * from './conditions';
export { cleanupFinalizer } from './strategy';
export type * from './types';
