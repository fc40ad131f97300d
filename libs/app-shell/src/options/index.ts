export * from './apiserver-options';
export * from './compaction-options';
export * from './app-options';
export * from './clock-options';
export * from './controller-manager-options';
export * from './kubelet-options';
export * from './scheduler-options';
export * from './service-account-options';
