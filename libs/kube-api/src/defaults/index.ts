export * from './apply-defaults';
