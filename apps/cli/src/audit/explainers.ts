import type { AttemptExplainer } from '#libs/audit';

/** Those who can make an attempt again with every alternative looked at. */
export async function attemptExplainers(): Promise<AttemptExplainer[]> {
  const { explainAttempt } = await import('#libs/scheduler');
  return [{ explains: isScheduler, explain: explainAttempt as AttemptExplainer['explain'] }];
}

/** Several schedulers on one log have names of their own: `scheduler-IDENTITY`. */
function isScheduler(controller: string): boolean {
  return controller === 'scheduler' || controller.startsWith('scheduler-');
}
