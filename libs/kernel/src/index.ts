export * from './json';
export * from './kube-object';
export * from './quantity';
export * from './heap';
export * from './ids';
export * from './time';
