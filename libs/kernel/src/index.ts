export * from './json';
export * from './kube-object';
export * from './quantity';
export * from './heap';
export * from './delta';
export * from './ids';
export * from './chance';
export * from './time';
