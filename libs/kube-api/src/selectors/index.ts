export * from './field-selector';
export * from './kind-fields';
export * from './label-requirement';
export * from './label-selector';
export * from './object-selector';
