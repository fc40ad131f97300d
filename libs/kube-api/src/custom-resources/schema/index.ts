export { Correlation } from './correlation';
export * from './defaults';
export * from './embedded';
export * from './list-types';
export * from './prune';
export * from './rules';
export * from './schema';
export * from './validate-value';
