export * from './envelope';
export * from './decode-message';
export * from './reader';
export * from './writer';
