export * from './schema';
export * from './kinds';
