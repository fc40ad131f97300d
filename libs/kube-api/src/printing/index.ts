export * from './age';
export { rowOf } from './cell';
export type { Cell, RowCondition, RowPrinter } from './cell';
export * from './columns';
export * from './table';
