import type { AttemptExplainer } from '#libs/audit';

/** Those who can make an attempt again with every alternative looked at. */
export async function attemptExplainers(): Promise<AttemptExplainer[]> {
  const { explainAttempt } = await import('#libs/scheduler');
  return [{ controller: 'scheduler', explain: explainAttempt as AttemptExplainer['explain'] }];
}
