export * from './controller-manager.module';
export * from './controllers';
