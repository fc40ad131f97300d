import { CostLimitError, compileRule, declareType, LimitedMeter, type CompiledRule, type Rule, type RuleFailure } from '#libs/cel';
import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { expressionFunctions } from '../../expressions/functions';
import { duplicate, fieldErrorText, forbidden, invalidValue, required, type FieldError } from '../../status/field-error';
import { itemsByKey, type Correlation } from './correlation';
import { propertyOf, valuesOf, type Schema } from './schema';

/** What one rule may cost when it is asked, and all rules of an object together, in units of cel-go. */
const perCallLimit = 1_000_000;
const perObjectLimit = 10_000_000;

/** A node of a schema with rules on it or below it. */
interface RuleNode {
  readonly schema: Schema;
  readonly rules: readonly { readonly rule: Rule; readonly compiled: CompiledRule }[];
  readonly allOf: readonly RuleNode[];
  readonly items?: RuleNode;
  readonly values?: RuleNode;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

const trees = new WeakMap<Schema, Map<boolean, RuleNode | null>>();

/** The rules of a schema, compiled when they are first asked. @param isWhole its values are whole objects */
function rulesOf(schema: Schema, isWhole: boolean): RuleNode | null {
  let known = trees.get(schema);
  if (!known) trees.set(schema, (known = new Map()));
  let tree = known.get(isWhole);
  if (tree === undefined) known.set(isWhole, (tree = ruleNode(schema, schema, isWhole)));
  return tree;
}

/** Whether rules stand anywhere in the schema of a whole object. */
export function hasRules(schema: Schema): boolean {
  return rulesOf(schema, true) !== null;
}

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

/** @param from where rules are written: the node itself, or a branch of its `allOf`; types are those of the node */
function ruleNode(from: Schema, schema: Schema, isWhole: boolean): RuleNode | null {
  const rules = compiledRules(from, schema, isWhole);
  const below = (inFrom: Schema | undefined, inSchema: Schema | undefined): RuleNode | null =>
    inFrom && inSchema ? ruleNode(inFrom, inSchema, isEmbedded(inSchema)) : null;
  const items = below(from.items, schema.items) ?? undefined;
  const values = below(valuesOf(from), valuesOf(schema)) ?? undefined;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(from.properties ?? {})) {
    const node = below(property, propertyOf(schema, name));
    if (node) properties.set(name, node);
  }
  const allOf = (from.allOf ?? []).flatMap((branch) => ruleNode(branch, schema, isWhole) ?? []);
  const isBare = rules.length === 0 && !items && !values && properties.size === 0 && allOf.length === 0;
  return isBare ? null : { schema, rules, allOf, items, values, properties };
}

function compiledRules(from: Schema, schema: Schema, isWhole: boolean): RuleNode['rules'] {
  // A rule that says nothing is told of where definitions are checked.
  const rules = (from['x-kubernetes-validations'] ?? []).filter(({ rule }) => rule.trim() !== '');
  if (rules.length === 0) return [];
  const declared = declareType(schema, 'selfType', isWhole);
  if (!declared) return [];
  const context = { schema, declared, functions: expressionFunctions(), isWhole };
  return rules.map((rule) => ({ rule, compiled: compileRule(rule, context) }));
}

export interface RuleValidation {
  /** What the value was before. Absent: there was none. */
  readonly old?: Json;
  /** Absent: nothing is tolerated because it was so before. */
  readonly correlation?: Correlation;
  /** Path of the value. Absent: it is a whole object. */
  readonly field?: string;
}

export interface RuleFindings {
  readonly errors: FieldError[];
  /** What is tolerated, since it is as it was. */
  readonly warnings: string[];
}

/** Asks the rules of a schema (`x-kubernetes-validations`) about a value and what is in it. */
export function validateRules(schema: Schema, value: Json, { old, correlation, field }: RuleValidation = {}): RuleFindings {
  const tree = rulesOf(schema, field === undefined);
  const asking = new Asking();
  if (tree) asking.node(tree, value, old, field ?? '', { current: correlation, isRatcheting: correlation !== undefined });
  return asking;
}

/** What is known of what was there before: of this value, or of the nearest one around it that can be compared. */
interface Before {
  readonly current?: Correlation;
  readonly nearest?: Correlation;
  readonly isRatcheting: boolean;
}

class Asking implements RuleFindings {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  private left = perObjectLimit;
  private isOver = false;

  node(node: RuleNode, value: Json, old: Json | undefined, path: string, before: Before): void {
    if (this.isOver || value === null) return;
    this.rules(node, value, old, path, before);
    for (const branch of node.allOf) this.node(branch, value, old, path, { nearest: before.nearest, isRatcheting: before.isRatcheting });
    if (Array.isArray(value)) this.list(node, value, old, path, before);
    else if (isObject(value)) this.object(node, value, old, path, before);
  }

  private object({ values, properties }: RuleNode, value: JsonObject, old: Json | undefined, path: string, before: Before): void {
    for (const name of Object.keys(value)) {
      const property = properties.get(name);
      const node = property ?? values;
      if (!node) continue;
      const oldMember = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      const at = property ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
      this.node(node, value[name] as Json, oldMember, at, keyOf(before, name));
    }
  }

  private list({ items, schema }: RuleNode, value: readonly Json[], old: Json | undefined, path: string, before: Before): void {
    if (!items) return;
    const oldItem = itemsByKey(schema, Array.isArray(old) ? old : []);
    value.forEach((item, index) => this.node(items, item, oldItem(item), `${path}[${index}]`, indexOf(before, index)));
  }

  private rules({ rules, schema }: RuleNode, value: Json, old: Json | undefined, path: string, before: Before): void {
    const field = path === '' ? '<nil>' : path;
    const shown = schema.type ?? '';
    for (const { rule, compiled } of rules) {
      if (this.isOver) return;
      if (this.left <= 0) {
        const text = 'validation failed due to running out of cost budget, no further validation rules will be run';
        this.end(invalidValue(field, shown, text));
        return;
      }
      if (compiled.problem !== undefined) {
        this.errors.push(invalidValue(field, shown, `rule compile error: ${compiled.problem}`));
        continue;
      }
      const meter = new LimitedMeter(Math.min(perCallLimit, this.left));
      try {
        const failure = compiled.ask(value, old, meter);
        this.left -= meter.spent;
        if (failure) this.failed(failure, compiled, { field, shown, before });
      } catch (error) {
        if (!(error instanceof CostLimitError)) throw error;
        const named = (rule.message || rule.rule).trim();
        const text =
          this.left < perCallLimit
            ? 'validation failed due to running out of cost budget, no further validation rules will be run'
            : `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${named}`;
        this.end(invalidValue(field, shown, text));
      }
    }
  }

  private failed(
    failure: RuleFailure,
    { usesOldSelf }: CompiledRule,
    { field, shown, before }: { field: string; shown: string; before: Before },
  ): void {
    const error = errorOf(failure, field, shown);
    if (failure.isFalse && !usesOldSelf && isTolerated(before)) this.warnings.push(fieldErrorText(error));
    else this.errors.push(error);
  }

  private end(error: FieldError): void {
    this.errors.push(error);
    this.isOver = true;
  }
}

function errorOf({ detail, reason, fieldPath }: RuleFailure, field: string, shown: string): FieldError {
  const at =
    fieldPath === undefined
      ? field
      : fieldPath.startsWith('[')
        ? field + fieldPath
        : field === '<nil>'
          ? fieldPath
          : `${field}.${fieldPath}`;
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(at, detail);
    case 'FieldValueRequired':
      return required(at, detail);
    case 'FieldValueDuplicate':
      return duplicate(at, shown);
    default:
      return invalidValue(at, shown, detail);
  }
}

function keyOf({ current, nearest, isRatcheting }: Before, name: string): Before {
  if (!current) return { nearest, isRatcheting };
  // Whoever changes the version of an object changes it without a trace.
  if (!nearest && (name === 'apiVersion' || name === 'kind')) return { isRatcheting };
  return { current: current.key(name), nearest: current, isRatcheting };
}

function indexOf({ current, nearest, isRatcheting }: Before, index: number): Before {
  return current ? { current: current.index(index), nearest: current, isRatcheting } : { nearest, isRatcheting };
}

function isTolerated({ current, nearest, isRatcheting }: Before): boolean {
  return isRatcheting && (current ?? nearest)?.isSame === true;
}
