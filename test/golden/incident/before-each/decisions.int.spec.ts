import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../../golden-folder';
import { failedSteps, sessionLines } from '../../play-result';
import { decideAgain, playDecisions } from './main';

const golden = goldenFolder('incidents');

describe.runIf(golden !== undefined)('preemptions of recorded incidents, from the state before each', () => {
  it.each([
    '02-three-level-chain',
    '03-nomination-lost',
    '04a-budget-respected',
    '05-non-preempting',
    '06-affinity-pending',
    '07-drain-three-nodes',
    '11-rack-failure',
    '13a-storm',
  ])('%s: the recorded node is the best or among the tied, its victims are the recorded ones', (name) => {
    const decisions = decideAgain(join(golden ?? '', name));
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.filter(({ difference }) => difference !== undefined)).toEqual([]);
  });

  it('01-priority-rollout-cascade: two attempts had begun before the change that came 2 ms before their outcome', () => {
    const decisions = decideAgain(join(golden ?? '', '01-priority-rollout-cascade'));
    expect(decisions).toHaveLength(53);
    expect(decisions.filter(({ agreesAtMs }) => agreesAtMs === undefined)).toEqual([]);
    expect(decisions.filter(({ agreesAtMs }) => agreesAtMs !== 0).map(({ agreesAtMs }) => agreesAtMs)).toEqual([2, 2]);
  });

  it('are a kind of recording to the command: by folder or by name', async () => {
    const lines: string[] = [];
    const [result] = await playDecisions(join(golden ?? '', '04a-budget-respected'), [], { out: (line) => lines.push(line), json: false });
    expect(failedSteps(result!)).toBe(0);
    expect(sessionLines(result!, true)).toEqual(['04a-budget-respected: 4/4']);
    await expect(async () => playDecisions(golden ?? '', ['no-such'], { out: () => undefined, json: false })).rejects.toThrow(
      'no incident no-such',
    );
  });
});
