export * from './controllers';
export * from '../disruption/disruption-controller';
export * from '../eviction/eviction-controller';
export * from '../eviction/verdict';
