export * from './storage';
export { MemoryPast } from './memory-storage';
export { openPast, type OpenPastOptions } from './open-past';
export { PastRecorder } from './past-recorder';
export { checkpointOf, Past, PastFold, type PastOptions, type PastStep } from './past';
