export * from './schema';
export * from './kinds';
export * from './decode';
export * from './protobuf';
