export * from './defaults';
export * from './prune';
export * from './schema';
