export * from './port';
export * from './errors';
export { createMemoryLog, type MemoryLogOptions } from './memory/memory-log';
export { openEmbeddedLog, type EmbeddedLogOptions } from './embedded/embedded-log';
export type { Durability } from './embedded/open-engine';
