export * from './controllers';
export { remoteAvailability, slicesOf, undiscovered } from '../api-services/remote-availability';
