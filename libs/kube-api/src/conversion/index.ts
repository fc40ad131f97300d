export * from './conversion-review';
