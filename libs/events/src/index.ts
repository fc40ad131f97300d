export * from './metadata';
export * from './stored-metadata';
export * from './stream-names';
export * from './catalogue';
export * from './digest';
export * from './seal/leaf';
export * from './seal/merkle-range';
export * from './fact';
export { VictimReference } from './shapes';
