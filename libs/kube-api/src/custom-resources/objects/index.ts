export * from './follow';
export { kindsOfDefinition } from './kinds-of-definition';
