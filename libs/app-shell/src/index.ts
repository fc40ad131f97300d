export * from './app-options';
export * from './control-plane.module';
export * from './controller-host';
