export * from './convert';
export * from './decode-object';
export { jsonDepthMax, parseJson, plainNumbers } from './go-json';
export { setOwn } from './json-reader';
export * from './stored-form';
export * from './wire-form';
export * from './yaml';
export * from './zero';
export * from './event-view';
