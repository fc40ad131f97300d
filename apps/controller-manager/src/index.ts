export * from './controller-manager.module';
export * from './controllers';
export * from './leaves-out';
