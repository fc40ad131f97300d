export type { KindConversion, KindDescription, KindStrategy, KindValidation, KindVersion } from './behaviour';
export * from './catalogue';
export * from './define-kind';
export * from './names';
export * from './release';
export * from './resource-kind';
export * from './shown-as';
export * from './core/pods/binding';
export * from './core/pods/qos';
export { defaultPodSpec } from './core/pods/defaults';
export { defaultPullPolicy } from './core/pods/image-tag';
export { withNameLabel } from './core/namespaces';
export { defaultServiceCidr } from './core/services';
export {
  availableLocally,
  localApiServices,
  withAvailability as withApiServiceAvailability,
  type Availability as ApiServiceAvailability,
} from './apiregistration';
export { flowControlObjects } from './flowcontrol';
export { clusterAddressesOf, ipAddressFor } from './networking/service-addresses';
