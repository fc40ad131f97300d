import { describe, expect, it } from 'vitest';
import { nextDecision, type Controller, type Decision } from '#libs/control-loop';
import { rateLimited } from './rate-limited';

/** Wants to decide all the time. */
function eager(steps: number): Controller {
  const decision: Decision = {
    subject: 's',
    steps: Array.from({ length: steps }, (_, index) => ({ step: String(index), request: {} as never })),
  };
  return {
    name: 'eager',
    initial: () => undefined,
    next: () => 's',
    decide: () => decision,
    decided: () => undefined,
    nextWake: (_state: unknown, now: number) => now,
  } as unknown as Controller;
}

function decisionsUntil<S>(controller: Controller<S>, end: number): number[] {
  const times: number[] = [];
  const state = controller.initial(undefined as never, 0);
  for (let now = 1_000; now <= end;) {
    while (nextDecision(controller, state, undefined as never, { now } as never)) times.push(now - 1_000);
    const wake = controller.nextWake(state, now) as number;
    expect(wake).toBeGreaterThan(now);
    now = wake;
  }
  return times;
}

describe('a rate-limited controller', () => {
  it('has its burst at once, and then as many requests a second as its rate', () => {
    const times = decisionsUntil(rateLimited(eager(1), { qps: 20, burst: 30 }), 2_000);
    expect(times.filter((time) => time === 0)).toHaveLength(30);
    expect(times.slice(30, 33)).toEqual([50, 100, 150]);
    expect(times).toHaveLength(50);
  });

  it('pays for every request of a decision', () => {
    const times = decisionsUntil(rateLimited(eager(5), { qps: 10, burst: 10 }), 3_000);
    expect(times.slice(0, 4)).toEqual([0, 0, 100, 600]);
  });
});
