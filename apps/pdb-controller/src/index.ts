export * from './pdb-controller.module';
export * from './disruption/disruption-controller';
export * from './eviction/eviction-controller';
export * from './eviction/verdict';
export * from './leaves-out';
