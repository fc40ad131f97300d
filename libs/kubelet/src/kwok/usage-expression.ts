import {
  anyValue,
  compile,
  CompilationError,
  define,
  doubleType,
  dynType,
  Environment,
  EvaluationError,
  functionTable,
  kubernetesFunctions,
  member,
  overload,
  stringType,
  Timestamp,
  timestampType,
  type Value,
} from '#libs/cel';
import { derivedIndex, parseQuantity, quantityMilli, type KubeObject } from '#libs/kernel';

/** What an expression may look at. Times in ms since the epoch. */
export interface UsageContext {
  pod: KubeObject;
  node: KubeObject | undefined;
  container: { readonly name: string };
  now: number;
  /** When the pod was made. */
  created: number;
}

export interface UsageExpression {
  /** What it comes to is otherwise at another moment. */
  goesByTime: boolean;
  /** A number of cores or bytes; undefined: it fails. */
  evaluate(context: UsageContext): number | undefined;
}

const compiled = new Map<string, UsageExpression | undefined>();
const compiledMax = 256;

/** An expression of kwok that says what a container uses; undefined: it cannot be read. */
export function usageExpression(text: string): UsageExpression | undefined {
  if (compiled.has(text)) return compiled.get(text);
  if (compiled.size >= compiledMax) compiled.clear();
  const expression = read(text);
  compiled.set(text, expression);
  return expression;
}

/** Whose moment and pod the functions answer for: an evaluation is over before the next one begins. */
let present: UsageContext | undefined;

const secondsSince = (): number => ((present?.now ?? 0) - (present?.created ?? 0)) / 1_000;

/** A quantity is a number here: what is added to it and divided by it is one, too. */
function quantity(text: string): number {
  if (!parseQuantity(text)) throw new EvaluationError(`no quantity: ${text}`);
  return quantityMilli(text) / 1_000;
}

const chance = (): number => derivedIndex(`${present?.pod.metadata.uid}/${present?.container.name}/${present?.now}`, 1_000_000) / 1_000_000;

/** The functions that kwok has beside those of the language. */
const ofKwok = [
  define('Quantity', overload('kwok_quantity', [stringType], doubleType, quantity)),
  define(
    'Now',
    overload('kwok_now', [], timestampType, () => new Timestamp(BigInt(present?.now ?? 0) * 1_000_000n)),
  ),
  define('Rand', overload('kwok_rand', [], doubleType, chance)),
  define(
    'UnixSecond',
    overload('kwok_unix_second', [timestampType], doubleType, ({ nanos }: Timestamp) => Number(nanos) / 1e9),
  ),
  define(
    'SinceSecond',
    overload('kwok_since_second', [dynType], doubleType, secondsSince),
    member('kwok_since_second_of', [dynType], doubleType, secondsSince),
  ),
];

let environment: Environment | undefined;

function environmentOfUsage(): Environment {
  const functions = functionTable([...kubernetesFunctions({}).values()], ofKwok);
  const variables = ['pod', 'node', 'container'].map((name) => [name, { type: dynType }] as const);
  return (environment ??= new Environment(functions, new Map(variables)));
}

function read(text: string): UsageExpression | undefined {
  let program: { evaluate(variables: Record<string, Value>): Value };
  try {
    program = compile(text, environmentOfUsage()).program();
  } catch (error) {
    if (error instanceof CompilationError || error instanceof EvaluationError) return undefined;
    throw error;
  }
  return {
    goesByTime: /\b(?:Now|Rand|SinceSecond|UnixSecond)\b/.test(text),
    evaluate(context) {
      const { pod, node, container } = context;
      present = context;
      try {
        const value = program.evaluate({ pod: anyValue(whole(pod)), node: anyValue(node && whole(node)), container: anyValue(container) });
        return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
      } catch (error) {
        if (error instanceof EvaluationError) return undefined;
        throw error;
      } finally {
        present = undefined;
      }
    },
  };
}

/** Expressions ask for labels and annotations also where there are none. */
const whole = (object: KubeObject): object => ({
  ...object,
  metadata: { ...object.metadata, labels: object.metadata.labels ?? {}, annotations: object.metadata.annotations ?? {} },
});
