export * from './controller-manager.module';
export * from './leaves-out';
