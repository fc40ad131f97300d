export * from './check';
export * from './demand';
export * from './limited-resources';
export { overdueAt } from './pods';
export * from './scopes';
export * from './tracked';
export * from './usage';
