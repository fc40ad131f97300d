export * from './request';
export * from './prepare-write';
