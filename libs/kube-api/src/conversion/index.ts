export * from './conversion-review';
export * from './needed';
export * from './question';
