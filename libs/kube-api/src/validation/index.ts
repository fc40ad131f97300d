export * from './addresses';
export { isDnsLabel, isDnsSubdomain, isLabelValue, isQualifiedName } from './formats';
export * from './options';
export * from './validate';
