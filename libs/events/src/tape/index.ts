export * from './round';
export * from './tape';
export { TapeError } from './varints';
