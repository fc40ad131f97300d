// A recorded preemption against what is decided on the state before it.
import type { AttemptResult } from '#libs/scheduling';
import type { RecordedPreemption } from './recorded-preemptions';

/** Undefined: the recorded node is the best one, or among the tied, with the recorded victims. Otherwise what is different. */
export function differenceOf({ node, victims }: RecordedPreemption, result: AttemptResult | undefined): string | undefined {
  if (result === undefined) return 'the pod is not pending in that state';
  if (result.kind === 'bound') return `fits on ${result.best.join(', ')}`;
  if (result.kind === 'error') return result.message;
  const preemption = result.postFilter?.preemption;
  if (!preemption?.chosen) return `no preemption: ${result.message}`;
  const candidate = preemption.candidates.find((each) => each.node === node);
  if (!candidate) return `${node} is no candidate, ${preemption.best.join(', ')} would be chosen`;
  const named = candidate.victims.map(({ key }) => key);
  if ([...named].sort().join() !== [...victims].sort().join())
    return `victims on ${node}: ${named.join(', ')} instead of ${victims.join(', ')}`;
  if (!preemption.best.includes(node)) return `${preemption.best.join(', ')} would be chosen, by ${preemption.decidedBy}`;
  return undefined;
}
