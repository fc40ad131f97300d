import type { AttemptExplainer } from '#libs/audit';

/** Those who know the attempts in a scheduler's decisions. */
export async function attemptExplainers(): Promise<AttemptExplainer[]> {
  const { attemptOf } = await import('#libs/scheduler');
  return [{ explains: isScheduler, attemptOf }];
}

/** Several schedulers on one log have names of their own: `scheduler-IDENTITY`. */
function isScheduler(controller: string): boolean {
  return controller === 'scheduler' || controller.startsWith('scheduler-');
}
