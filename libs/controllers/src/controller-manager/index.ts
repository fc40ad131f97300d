export * from './controllers';
