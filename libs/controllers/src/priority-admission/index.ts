export * from './controllers';
export * from './priority-reviewer';
