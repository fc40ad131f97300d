export * from './kubelet.module';
export * from './leaves-out';
