export * from './controllers';
export { discoveryPathOf, remoteAvailability, slicesOf, undiscovered } from '../api-services/remote-availability';
