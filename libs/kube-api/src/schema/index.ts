export * from './data-format';
export * from './definition';
export * from './notation';
export * from './schema';
export * from './walk';
