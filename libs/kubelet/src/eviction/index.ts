export { evictionConfigOf, type EvictionSettings } from './eviction-config';
export { evictionManager } from './eviction-manager';
export { pressureOn, pressureRejection } from './pressure';
export type { EvictionConfig } from './thresholds';
