import { EvaluationError, noSuchOverload, Optional, type Value } from '../values/value';
import type { Frame, Step } from './plan';

/** The value, or the error that nobody has met yet. What ends an evaluation is not kept. */
export function attempt(step: Step, frame: Frame): Value | EvaluationError {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof EvaluationError && !error.isFinal) return error;
    throw error;
  }
}

/** `&&` and `||`: one side that decides is enough, whatever becomes of the other; else the first error counts. */
export function logical(left: Step, right: Step, decides: boolean): Step {
  return (frame) => {
    const first = attempt(left, frame);
    if (first === decides) return decides;
    const second = attempt(right, frame);
    if (second === decides) return decides;
    if (first instanceof EvaluationError) throw first;
    if (second instanceof EvaluationError) throw second;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
    return !decides;
  };
}

export function conditional(test: Step, consequent: Step, alternative: Step): Step {
  return (frame) => {
    const outcome = test(frame);
    if (typeof outcome !== 'boolean') throw noSuchOverload();
    return outcome ? consequent(frame) : alternative(frame);
  };
}

export function notStrictlyFalse(step: Step): Step {
  return (frame) => {
    const value = attempt(step, frame);
    return typeof value === 'boolean' ? value : true;
  };
}

/** `or` and `orValue` of optionals. */
export function orElse(left: Step, right: Step, take: (optional: Optional) => Value): Step {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof Optional)) throw noSuchOverload();
    return optional.hasValue ? take(optional) : right(frame);
  };
}
