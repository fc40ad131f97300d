import type { KindDescription } from '../behaviour';
import { apiservices } from './apiservices';

export { availableLocally, withAvailability, type Availability } from './availability';
export { localApiServices } from './local-services';

export const apiregistrationKinds: readonly KindDescription[] = [apiservices];
