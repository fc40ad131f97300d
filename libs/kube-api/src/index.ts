export * from './schema';
export * from './kinds';
export * from './decode';
export * from './protobuf';
export * from './status';
export * from './selectors';
export * from './strategy';
