export * from './report';
export * from './event-object';
export * from './event-reports';
export { pulledMessage } from './pod-reports';
