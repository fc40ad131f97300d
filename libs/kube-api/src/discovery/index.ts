export * from './discovery';
export * from './version';
