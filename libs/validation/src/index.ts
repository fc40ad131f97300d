export * from './check-options';
export * from './class-validator';
export * from './compiled-check';
export * from './nested';
export * from './problems';
