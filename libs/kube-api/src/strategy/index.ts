export * from './allocation';
export * from './context';
export * from './deletion';
export * from './equality';
export * from './generate-name';
export * from './prepare';
export * from './scale';
