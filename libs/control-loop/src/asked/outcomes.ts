import type { TapedOutcome, TapedRefusal } from '#libs/events';
import { failure } from '#libs/kube-api';
import type { Controller, Decision, StepOutcome } from '../controller';

/** Longest message of a refusal that a controller gets to read, UTF-16 code units. */
export const refusalMessageMax = 2_000;

/** The outcome of a decision in the form that `settled` gets. What is not on the tape it does not learn, live as in a replay. */
export function outcomesOf({ steps }: Decision, outcome: TapedOutcome): StepOutcome[] {
  switch (outcome.kind) {
    case 'done':
      return steps.map(() => ({ kind: 'written' }));
    case 'unrecorded':
      return [{ kind: 'refused', status: failure(500, undefined, 'the decision could not be recorded') }];
    case 'unled':
      return [notLed];
    case 'steps':
      return outcome.steps.map((step) => {
        if (step.kind === 'refused') return { kind: 'refused', status: failure(step.code, undefined, step.message) };
        return step.kind === 'unled' ? notLed : { kind: step.kind };
      });
  }
}

const notLed: StepOutcome = { kind: 'refused', status: failure(500, undefined, 'this instance does not lead') };

export function tapedRefusal(
  { readsRefusals }: Pick<Controller, 'readsRefusals'>,
  { code = 500, message = '' }: { code?: number; message?: string },
  isUncertain: boolean,
): TapedRefusal {
  return {
    kind: 'refused',
    code,
    message: readsRefusals ? message.slice(0, refusalMessageMax) : '',
    isUncertain,
    lacksRecord: false,
  };
}
