export * from './account-keys';
