export * from './priority-admission.module';
export * from './priority-reviewer';
export * from './leaves-out';
