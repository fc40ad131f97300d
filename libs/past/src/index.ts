export * from './storage';
export { MemoryPast } from './memory-storage';
export { openOutlineStorage, openPast, type OpenPastOptions } from './open-past';
export { Outline } from './outline';
export type { OutlineStorage } from './outline-storage';
export { PastRecorder } from './past-recorder';
export { Past, PastFold, type PastOptions, type PastStep } from './past';
