export * from './conditions';
export { cleanupFinalizer } from './strategy';
export type * from './types';
