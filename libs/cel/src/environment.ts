import { authorizerFunctions } from './library/authorizer';
import { addressFunctions, cidrType, ipType } from './library/addresses';
import { listFunctions } from './library/lists';
import { namedFormats, type FormatCheck } from './library/named-formats';
import { operatorFunctions } from './library/operators';
import { optionalFunctions } from './library/optionals';
import { quantityFunctions } from './library/quantities';
import { regexFunctions } from './library/regex';
import { semverFunctions } from './library/semvers';
import { standardFunctions } from './library/standard';
import { stringFunctions } from './library/strings';
import { urlFunctions } from './library/urls';
import type { DeclaredType } from './schema/declared-type';
import { functionTable, type FunctionDecl } from './types/functions';
import {
  boolType, bytesType, doubleType, durationType, intType, listOf, mapOf, nullType, optionalOf, paramType, stringType, timestampType, typeOf,
  typeType, uintType, type Type,
} from './types/type'; // prettier-ignore

const namedTypes: ReadonlyMap<string, Type> = new Map(
  [
    boolType, bytesType, doubleType, durationType, intType, listOf(paramType('A')), mapOf(paramType('A'), paramType('B')), nullType, stringType,
    timestampType, typeType, uintType, optionalOf(paramType('V')), ipType, cidrType,
  ].map((type) => [type.name, typeOf(type)] as const),
); // prettier-ignore

const libraries = [
  operatorFunctions, standardFunctions, stringFunctions, regexFunctions, listFunctions, optionalFunctions, urlFunctions, addressFunctions,
  quantityFunctions, semverFunctions, authorizerFunctions,
]; // prettier-ignore

/** What the API server lets every expression use, without the named formats: who serves an API says how those are checked. */
export function kubernetesFunctions(formats: Readonly<Record<string, FormatCheck>>): ReadonlyMap<string, FunctionDecl> {
  return functionTable(...libraries, namedFormats(formats));
}

export interface Variable {
  type: Type;
  /** Where it has a schema: sizes of what is in it are estimated by that. */
  declared?: DeclaredType;
}

/** What an expression may name. */
export class Environment {
  private readonly objects = new Map<string, DeclaredType>();

  constructor(
    readonly functions: ReadonlyMap<string, FunctionDecl>,
    readonly variables: ReadonlyMap<string, Variable>,
    /** Whether `cel.bind(name, value, expression)` is a macro here. */
    readonly hasBindings = false,
  ) {
    for (const { declared } of variables.values()) if (declared) this.register(declared);
  }

  /** The type of a variable, or that of a type that is named. */
  typeOfName(name: string): Type | undefined {
    return this.variables.get(name)?.type ?? namedTypes.get(name);
  }

  isVariable(name: string): boolean {
    return this.variables.has(name);
  }

  hasObject(name: string): boolean {
    return this.objects.has(name);
  }

  typeOfField(object: string, field: string): Type | undefined {
    return this.objects.get(object)?.field(field)?.type;
  }

  private register(declared: DeclaredType): void {
    if (declared.type.kind === 'object') {
      if (this.objects.has(declared.type.name)) return;
      this.objects.set(declared.type.name, declared);
    }
    for (const inner of declared.inner()) this.register(inner);
  }
}
