export * from './priority-admission.module';
export * from './leaves-out';
