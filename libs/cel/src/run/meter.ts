import { EvaluationError } from '../values/value';

/** Counts what an evaluation costs, in the units of cel-go's estimates, roughly. */
export interface Meter {
  /** @throws EvaluationError beyond the limit: nothing catches it within an expression */
  spend(cost: number): void;
}

export class CostLimitError extends EvaluationError {
  override readonly isFinal = true;
}

export class LimitedMeter implements Meter {
  spent = 0;
  constructor(private readonly limit: number) {}

  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw new CostLimitError('operation cancelled: actual cost limit exceeded');
  }
}
