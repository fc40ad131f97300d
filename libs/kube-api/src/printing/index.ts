export * from './age';
export type { Cell, RowCondition } from './cell';
export * from './columns';
export { rowPrinterOf } from './kind-rows';
export * from './table';
