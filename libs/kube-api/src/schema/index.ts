export * from './data-format';
export * from './notation';
export * from './schema';
export * from './walk';
