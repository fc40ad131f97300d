export * from './report';
export * from './event-object';
export * from './event-reports';
export { pulledMessage } from './pod-reports';
export type { Remembered } from './reporter-memory';
