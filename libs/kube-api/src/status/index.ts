export * from './catalogue';
export * from './field-error';
export * from './go-value';
export * from './status';
