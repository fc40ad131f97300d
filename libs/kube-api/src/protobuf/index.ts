export * from './envelope';
export * from './decode-message';
export * from './reader';
