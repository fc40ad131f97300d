export * from './pdb-controller.module';
export * from './leaves-out';
