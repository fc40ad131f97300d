export * from './pod-resources';
export * from './resource-list';
