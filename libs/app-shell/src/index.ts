export * from './app-options';
export * from './control-plane.module';
export * from './controller-host';
export * from './control-plane-process';
export * from './log-source';
export * from './snapshot-file';
export * from './run-app';
export * from './server-address';
