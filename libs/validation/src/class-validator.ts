/**
 * The parts of class-validator that are used here, each from its own file: the package's door loads every decorator there
 * is, with tables of telephone numbers, and costs 75 ms of processor time at every start instead of 10.
 */
export { IsIn } from 'class-validator/cjs/decorator/common/IsIn.js';
export { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
export { IsOptional } from 'class-validator/cjs/decorator/common/IsOptional.js';
export { Max } from 'class-validator/cjs/decorator/number/Max.js';
export { IsPositive } from 'class-validator/cjs/decorator/number/IsPositive.js';
export { Min } from 'class-validator/cjs/decorator/number/Min.js';
export { IsISO8601 } from 'class-validator/cjs/decorator/string/IsISO8601.js';
export { IsArray } from 'class-validator/cjs/decorator/typechecker/IsArray.js';
export { IsBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
export { IsInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
export { IsNumber } from 'class-validator/cjs/decorator/typechecker/IsNumber.js';
export { IsObject } from 'class-validator/cjs/decorator/typechecker/IsObject.js';
export { IsString } from 'class-validator/cjs/decorator/typechecker/IsString.js';
export { getMetadataStorage } from 'class-validator/cjs/metadata/MetadataStorage.js';
export { ValidationTypes } from 'class-validator/cjs/validation/ValidationTypes.js';
export type { ValidationArguments } from 'class-validator';
export { Validator } from 'class-validator/cjs/validation/Validator.js';
