import {
  anyValue,
  AuthorizerValue,
  EvaluationError,
  LimitedMeter,
  MapValue,
  ResourceCheck,
  type Authorize,
  type Meter,
  type Program,
  type Value,
} from '#libs/cel';
import type { Json, JsonObject } from '#libs/kernel';

/** What expressions of admission are evaluated with (upstream: `evaluationActivation`). */
export interface ActivationInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  /** Without its objects: those are variables of their own. */
  readonly request: JsonObject;
  readonly params?: JsonObject | null;
  readonly namespaceObject?: JsonObject | null;
  readonly authorize?: Authorize;
}

/** A variable of a policy, compiled. */
export interface CompiledVariable {
  readonly name: string;
  readonly program?: Program;
  readonly problem?: string;
}

export type Activation = Readonly<Record<string, Value>>;

const checked = ['group', 'resource', 'subresource', 'namespace', 'name'] as const;

/** Values by name. Variables of a policy are evaluated when an expression names them, once. */
export function activationOf(input: ActivationInput, variables: readonly CompiledVariable[] = []): Activation {
  const values: Record<string, Value> = {
    object: valueOrNull(input.object),
    oldObject: valueOrNull(input.oldObject),
    request: anyValue(input.request),
    params: valueOrNull(input.params),
    namespaceObject: valueOrNull(input.namespaceObject),
  };
  if (input.authorize) {
    values['authorizer'] = new AuthorizerValue(input.authorize, {});
    values['authorizer.requestResource'] = new ResourceCheck(input.authorize, requestResource(input.request));
  }
  values['variables'] = new LazyVariables(variables, values);
  return values;
}

function valueOrNull(json: Json | undefined): Value {
  return json === undefined || json === null ? null : anyValue(json);
}

/** The resource of the request itself, as `authorizer.requestResource` asks about it. */
function requestResource(request: JsonObject): Partial<Record<(typeof checked)[number], string>> {
  const { group, resource } = request['requestResource'] as Record<string, string>;
  const { requestSubResource, namespace, name } = request as Record<string, string | undefined>;
  return {
    group,
    resource,
    ...(requestSubResource ? { subresource: requestSubResource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}

class LazyVariables extends MapValue {
  /** Told of what evaluating a variable costs. */
  meter: Meter | undefined;
  private readonly known = new Map<string, Value | EvaluationError>();
  private readonly byName: ReadonlyMap<string, CompiledVariable>;

  constructor(
    variables: readonly CompiledVariable[],
    private readonly values: Activation,
  ) {
    super();
    this.byName = new Map(variables.map((variable) => [variable.name, variable]));
  }

  get size(): number {
    return this.byName.size;
  }
  keys(): Iterable<Value> {
    return this.byName.keys();
  }

  find(key: Value): Value | undefined {
    const variable = this.byName.get(key as string);
    if (!variable) return undefined;
    let value = this.known.get(variable.name);
    if (value === undefined) this.known.set(variable.name, (value = this.evaluated(variable)));
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  private evaluated({ name, program, problem }: CompiledVariable): Value | EvaluationError {
    if (!program) return new EvaluationError(`composited variable ${JSON.stringify(name)} fails to compile: ${problem ?? ''}`);
    const meter = new LimitedMeter(callCostMax);
    try {
      return program.evaluate(this.values, meter);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return new EvaluationError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`);
    } finally {
      this.meter?.spend(meter.spent);
    }
  }
}

/** What one evaluation may cost at most (upstream's `PerCallLimit`). */
const callCostMax = 1_000_000;
/** What all expressions of a policy may cost together for one binding. */
export const policyCostMax = 10_000_000;
/** What all match conditions of a webhook or a policy may cost together. */
export const conditionsCostMax = 2_500_000;

/** An expression that came to an end: with a value, or with why it has none. */
export type Evaluated = { readonly value: Value } | { readonly error: string };

/** The expressions of one list together cost more than they may: nothing more of them is evaluated. */
export class OutOfBudgetError extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Evaluates expressions one after the other within one budget. */
export class BudgetedEvaluation {
  constructor(private left: number) {}

  get remaining(): number {
    return this.left;
  }

  /** @throws OutOfBudgetError */
  evaluate(expression: string, program: Program, activation: Activation): Evaluated {
    const meter = new LimitedMeter(callCostMax);
    const variables = activation['variables'] as LazyVariables;
    let ofVariables = 0;
    variables.meter = { spend: (cost) => void (ofVariables += cost) };
    let evaluated: Evaluated;
    try {
      evaluated = { value: program.evaluate(activation, meter) };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      evaluated = { error: `expression '${expression}' resulted in error: ${error.message}` };
    }
    this.left -= meter.spent + ofVariables;
    if (this.left < 0) throw new OutOfBudgetError();
    return evaluated;
  }
}
