export * from './admit';
export * from './namespace-lifecycle';
export * from './priority';
export * from './runtime-class';
export * from './service-account';
export * from './tolerations';
