export * from './convert';
export * from './decode-object';
export { jsonDepthMax, parseJson, plainNumbers, setOwn } from './go-json';
export * from './wire-form';
export * from './yaml';
export * from './zero';
export * from './event-view';
