export * from './metadata';
export * from './stored-metadata';
export * from './stream-names';
export * from './catalogue';
export * from './digest';
export * from './seal/leaf';
export * from './seal/merkle-range';
export * from './fact';
<<<<<<< HEAD
export * from './tape';
=======
export { VictimReference } from './shapes';
>>>>>>> cb10bcf (Events are validated down to their nested values, when they are made and by verify; class-validator's door is a library)
export * from './types/object-events';
export * from './types/pod-events';
export * from './types/decision-events';
export * from './hidden-secrets';
