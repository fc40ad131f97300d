export * from './resource-kind';
export * from './registry';
