import { compileRule, declareType, requestBytesMax, type CompiledRule, type DeclaredType, type Rule } from '#libs/cel';
import { expressionFunctions } from '../../expressions/functions';
import { forbidden, internalFieldError, invalidValue, type FieldError } from '../../status/field-error';
import { isSet, type Errors } from '../../validation/values';
import type { Schema } from '../schema';
import { TotalCost, costText, ruleCostMax, saturatedProduct } from './rule-costs';
import type { GivenSchema } from './given-schema';
import { ruleValue } from './held-values';
import type { DefinitionRules } from './options';

/** Why values have no type: the schema tells none, or the one around it has no such values. */
type Untyped = 'noDeclarations' | 'noDeclaration';

const untyped: Readonly<Record<Untyped, string>> = {
  noDeclarations:
    'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
  noDeclaration: 'failed to convert to declType for CEL validation rules',
};

/** How a schema is reached from the one around it. */
type Step = 'items' | 'values' | 'property';

/** A schema whose rules are to be compiled, in the schemas around it: these tell its type and how many values of it there may be. */
export class RuleScope {
  private type: DeclaredType | Untyped | undefined;

  private constructor(
    private readonly schema: GivenSchema,
    private readonly parent: RuleScope | undefined,
    private readonly step: Step | undefined,
    /** There are rules here or further out. */
    private readonly hasRules: boolean,
    /** How many values there are at most; undefined: nobody can tell. */
    private readonly countMax: number | undefined,
    readonly total: TotalCost,
    private readonly unchanged: boolean,
  ) {}

  /** @param unchanged the schema is as it was: single rules may cost what they cost */
  static root(schema: GivenSchema, unchanged: boolean): RuleScope {
    return new RuleScope(schema, undefined, undefined, hasOwnRules(schema), 1, new TotalCost(), unchanged);
  }

  below(schema: GivenSchema, step: Step): RuleScope {
    const factor = elementsMax(this.schema);
    const countMax = this.countMax === undefined || factor === undefined ? undefined : saturatedProduct(this.countMax, factor);
    return new RuleScope(schema, this, step, this.hasRules || hasOwnRules(schema), countMax, this.total, this.unchanged);
  }

  /** Compiles the rules of the schema. */
  check(schema: GivenSchema, field: string, place: { uncorrelated?: string; rules: DefinitionRules }): FieldError[] {
    const rules = schema['x-kubernetes-validations'] ?? [];
    if (rules.length === 0) return [];
    const at = `${field}.x-kubernetes-validations`;
    const declared = (this.type ??= this.findType());
    if (typeof declared === 'string') return [internalFieldError(at, untyped[declared])];
    const errors: Errors = [];
    const context = { schema: schema as Schema, declared, functions: expressionFunctions() };
    for (const [index, rule] of rules.entries()) {
      const compiled = compileRule(rule, context);
      this.checkRule(rule, compiled, declared, `${at}[${index}]`, place.uncorrelated, errors);
    }
    return errors;
  }

  private checkRule(
    rule: Rule,
    compiled: CompiledRule,
    declared: DeclaredType,
    at: string,
    uncorrelated: string | undefined,
    errors: Errors,
  ): void {
    const cost = saturatedProduct(compiled.cost, this.countMax ?? Math.floor(requestBytesMax / (declared.least + 1)));
    this.checkCost('estimated rule cost', cost, `${at}.rule`, errors);
    if (compiled.problem !== undefined) errors.push(invalidValue(`${at}.rule`, ruleValue(rule), compiled.problem));
    if (compiled.messageProblem !== undefined) {
      errors.push(invalidValue(`${at}.messageExpression`, ruleValue(rule), compiled.messageProblem));
    } else if (rule.messageExpression && compiled.problem === undefined) {
      this.checkCost('estimated messageExpression cost', compiled.messageCost, `${at}.messageExpression`, errors);
    }
    if (compiled.usesOldSelf && uncorrelated !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalidValue(`${at}.rule`, rule.rule, text));
    } else if (!compiled.usesOldSelf && isSet(rule.optionalOldSelf)) {
      errors.push(invalidValue(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
    }
  }

  private checkCost(name: string, cost: number, field: string, errors: Errors): void {
    if (!this.unchanged && cost > ruleCostMax) errors.push(forbidden(field, costText(name, cost, ruleCostMax)));
    this.total.add(field, cost);
  }

  /** The type of the values; where the schema around them has rules too, that one has to have a type as well. */
  private findType(): DeclaredType | Untyped {
    const { parent, schema, step } = this;
    if (parent?.hasRules) {
      const around = (parent.type ??= parent.findType());
      if (typeof around === 'string') return 'noDeclarations';
      if (step !== 'property' && !around.element) return 'noDeclaration';
    }
    const isWhole = !parent || schema['x-kubernetes-embedded-resource'] === true;
    return declareType(schema as Schema, 'selfType', isWhole) ?? 'noDeclarations';
  }
}

const hasOwnRules = ({ 'x-kubernetes-validations': rules }: GivenSchema): boolean => (rules ?? []).length > 0;

/** How many values of the schemas right below there may be in one value; undefined: nobody can tell. */
function elementsMax(schema: GivenSchema): number | undefined {
  if (schema.type === 'array') return bound(schema.maxItems);
  return schema.type === 'object' && isSet(schema.additionalProperties) ? bound(schema.maxProperties) : 1;
}

function bound(most: number | null | undefined): number | undefined {
  return isSet(most) ? Math.max(0, most as number) : undefined;
}
