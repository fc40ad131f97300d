import { plainEnvironment } from '../e2e/running-cluster';
import { BackgroundProgram } from './background-program';
import type { Outcomes, Surroundings } from './client';
import { runChecks } from './outcomes';
import { environmentOf } from './program';

/** An operator as its users run it: a process of its own beside the cluster, which it reaches through a line that can be cut. */
export class Operator extends BackgroundProgram {
  constructor(
    command: readonly string[],
    readonly surroundings: Surroundings,
    complaint: RegExp,
  ) {
    const environment = environmentOf(surroundings);
    const env = { ...plainEnvironment(), ...environment, KUBECONFIG: environment.LINE_KUBECONFIG };
    super(command, { cwd: surroundings.folder, env }, complaint);
  }
}

/** Plays checks with an operator that runs meanwhile; what fails is told with the end of its log. */
export async function playOperator(operator: Operator, checks: Record<string, (operator: Operator) => Promise<void>>): Promise<Outcomes> {
  operator.start();
  try {
    const outcomes = await runChecks(checks, operator);
    for (const [name, why] of outcomes) if (why !== undefined) outcomes.set(name, `${why}\nits log ends:\n${operator.log.slice(-3000)}`);
    return outcomes;
  } finally {
    await operator.kill();
  }
}
