import { compileRule, declareType, type CompiledRule, type Rule, type RuleFailure, type Schema } from '#libs/cel';
import { expressionFunctions } from '#libs/kube-api';
import type { Difference } from '../play-result';

interface Cause {
  reason: string;
  field: string | null;
  message: string;
}
interface RecordedObject {
  value: unknown;
  old?: unknown;
  result: 'ok' | Cause[];
}
/** A line of cel.jsonl. */
export interface RecordedRule {
  id: string;
  area: string;
  schema: Schema;
  /** The rule stands on the items or values of the property, not on itself. */
  at?: 'items' | 'additionalProperties';
  rule: Partial<Rule>;
  accepted: boolean;
  errors?: Cause[];
  objects?: RecordedObject[];
  varies?: readonly string[];
}

/** What the definition, not an engine, has to refuse. */
const refusedBefore =
  /rule is not specified|line breaks|must be a valid path|supported values|construct type information|cannot be used on the uncorrelatable/;

export function playRule(recorded: RecordedRule): Difference[] {
  const { schema, at, errors = [] } = recorded;
  if (errors.some(({ message }) => refusedBefore.test(message))) return [];
  const on = (at === undefined ? schema : schema[at]) as Schema;
  const declared = declareType(on, 'selfType', on['x-kubernetes-embedded-resource']);
  if (!declared) return [{ path: 'schema', text: 'has no type' }];
  const compiled = compileRule(recorded.rule as Rule, { schema: on, declared, functions: expressionFunctions() });
  return at === undefined
    ? [...compareCompilation(recorded, compiled), ...compareObjects(recorded, compiled)]
    : compareCompilation(recorded, compiled);
}

const numberedType = /selfType\d+/g;

/** `Invalid value: {"Rule":…}: text`, without the value. */
function textOf({ message }: Cause): string {
  return message.replace(/^Invalid value: \{.*?"OptionalOldSelf":(?:null|true|false)\}: /s, '').replaceAll(numberedType, 'selfType');
}

function compareCompilation({ errors = [], accepted, at, rule }: RecordedRule, compiled: CompiledRule): Difference[] {
  const expected = errors.map(textOf).filter((text) => /failed: |must evaluate to/.test(text));
  const actual = [compiled.problem, compiled.messageProblem].filter((text): text is string => text !== undefined);
  const differences: Difference[] = [];
  if (expected.join('\n') !== actual.join('\n'))
    differences.push({ path: 'errors', text: `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}` });
  // The cost of a rule on elements is multiplied by how many there are: a matter of the definition.
  if (at === undefined && compiled.problem === undefined) {
    for (const [name, cost] of [
      ['estimated rule cost', compiled.cost],
      ['estimated messageExpression cost', compiled.messageCost],
    ] as const) {
      const wanted = errors
        .map(({ message }) => new RegExp(`${name} exceeds budget by factor of (.*?)x? \\(try`).exec(message)?.[1])
        .find(Boolean);
      const got = factorOf(cost);
      if (wanted !== got)
        differences.push({ path: name, text: `expected a factor of ${wanted ?? 'at most 1'}, got ${got ?? 'at most 1'}` });
    }
  }
  if (!accepted && errors.length > 0) return differences;
  if (compiled.usesOldSelf || rule.optionalOldSelf === undefined) return differences;
  return [...differences, { path: 'rule.optionalOldSelf', text: 'accepted though oldSelf is not used' }];
}

const costMax = 10_000_000;

function factorOf(cost: number): string | undefined {
  const factor = cost / costMax;
  if (factor <= 1) return undefined;
  if (factor > 100) return 'more than 100';
  return factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
}

function compareObjects({ objects = [], varies = [], accepted, schema, area }: RecordedRule, compiled: CompiledRule): Difference[] {
  if (!accepted || compiled.problem !== undefined) return [];
  const isOpen = (index: number): boolean =>
    varies.some((path) => path.startsWith(`objects[${index}]`) || path.startsWith(`objects.${index}`));
  return objects.flatMap((object, index): Difference[] => {
    const old = area === 'transition' ? object.old : undefined;
    const value = withDefaults(object.value, schema);
    const failure = value === null || value === undefined ? undefined : compiled.ask(value, old);
    const expected = object.result === 'ok' ? undefined : object.result[0];
    if (expected === undefined && failure === undefined) return [];
    const text = failure && textOfFailure(failure);
    if (expected !== undefined && text !== undefined && expected.message.endsWith(text) && fieldOf(expected) === `x${pathOf(failure)}`)
      return [];
    if (expected !== undefined && failure !== undefined && isOpen(index)) return [];
    return [
      {
        path: `objects[${index}]`,
        text: `${JSON.stringify(object.value)}: expected ${JSON.stringify(object.result)}, got ${JSON.stringify(failure)}`,
      },
    ];
  });
}

const fieldOf = ({ field }: Cause): string => field ?? '';

function pathOf(failure: RuleFailure | undefined): string {
  const path = failure?.fieldPath;
  return path === undefined ? '' : path.startsWith('[') ? path : `.${path}`;
}

/** Duplicates show the type of the value alone. */
function textOfFailure({ detail, reason }: RuleFailure): string {
  return reason === 'FieldValueDuplicate' ? '' : detail;
}

/** Defaults as a definition's schema fills them in: the engine sees objects that have them. */
function withDefaults(value: unknown, schema: Schema): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (filled[name] === undefined && property.default !== undefined) filled[name] = structuredClone(property.default);
    if (filled[name] !== undefined) filled[name] = withDefaults(filled[name], property);
  }
  return filled;
}
