export * from './activation';
export * from './admission';
export { expressionFunctions } from './functions';
export { declaredKind } from './typed';
