// The package declares its types at the door only.
declare module 'class-validator/cjs/decorator/common/IsIn.js' {
  export { IsIn } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/common/IsOptional.js' {
  export { IsOptional } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/common/ValidateBy.js' {
  export { ValidateBy } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/number/Max.js' {
  export { Max } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/number/IsPositive.js' {
  export { IsPositive } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/number/Min.js' {
  export { Min } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/string/IsISO8601.js' {
  export { IsISO8601 } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsArray.js' {
  export { IsArray } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsBoolean.js' {
  export { IsBoolean } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsInt.js' {
  export { IsInt } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsNumber.js' {
  export { IsNumber } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsObject.js' {
  export { IsObject } from 'class-validator';
}
declare module 'class-validator/cjs/decorator/typechecker/IsString.js' {
  export { IsString } from 'class-validator';
}
declare module 'class-validator/cjs/metadata/MetadataStorage.js' {
  export { getMetadataStorage } from 'class-validator/types/metadata/MetadataStorage';
}
declare module 'class-validator/cjs/validation/ValidationTypes.js' {
  export { ValidationTypes } from 'class-validator';
}
declare module 'class-validator/cjs/validation/Validator.js' {
  export { Validator } from 'class-validator';
}
