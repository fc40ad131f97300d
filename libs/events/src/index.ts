export * from './metadata';
export * from './stream-names';
export * from './catalogue';
export * from './digest';
export * from './fact';
export * from './types/object-events';
export * from './types/pod-events';
export * from './types/decision-events';
