export * from './envelope';
export * from './decode-message';
export * from './reader';
export * from './encode-message';
export * from './write-envelope';
export * from './writer';
