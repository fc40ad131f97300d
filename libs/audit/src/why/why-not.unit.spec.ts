import { describe, expect, it } from 'vitest';
import type { ExplainedAttempt, ExplainedCandidate, NodeVerdict } from './explained-attempt';
import { renderWhyNot } from './render-why-not';
import type { WhyReport } from './why';
import { whyNot } from './why-not';

const attempt = (more: Partial<ExplainedAttempt>): ExplainedAttempt => ({
  decision: 'scheduler/1/1',
  position: 10,
  time: Date.parse('2026-01-01T00:00:01Z'),
  pod: 'a/web',
  priority: 0,
  outcome: 'bound',
  nodes: [],
  oddities: [],
  ...more,
});

const reportOf = (...attempts: ExplainedAttempt[]): WhyReport => ({
  object: { resource: 'pods', namespace: 'a', name: 'web' },
  uids: ['u'],
  standing: [],
  origin: [],
  moments: attempts.map((each, index) => ({
    position: index,
    time: each.time,
    type: 'SchedulingAttempted',
    stream: 's',
    actor: 'scheduler',
    text: '',
    attempt: each,
  })),
});

const fits = (node: string, total: number, scores: Record<string, number>): NodeVerdict => ({ node, verdict: 'fits', total, scores });
const asked = (one: ExplainedAttempt, node: string) => whyNot(reportOf(one), node)!.attempts[0]!;

describe('why not', () => {
  it('tells nodes that score less, the same, or more apart', () => {
    const bound = attempt({
      node: 'n1',
      nodes: [
        fits('n1', 50, { A: 30, B: 20 }),
        fits('n2', 50, { A: 20, B: 30 }),
        fits('n3', 40, { A: 5, B: 35 }),
        fits('n4', 60, { A: 40, B: 20 }),
      ],
    });
    expect(asked(bound, 'n2').verdict).toBe('tied');
    expect(asked(bound, 'n4').verdict).toBe('unseen');
    expect(asked(bound, 'n3')).toMatchObject({
      verdict: 'outscored',
      tookInstead: 'n1',
      scores: [
        { plugin: 'A', node: 5, winner: 30 },
        { plugin: 'B', node: 35, winner: 20 },
      ],
    });
  });

  it('knows a node that was not looked at because the nominated one passed, and one that was not there yet', () => {
    const bound = attempt({
      node: 'n1',
      nominatedNodeUsed: true,
      nodes: [
        { node: 'n1', verdict: 'fits' },
        { node: 'n2', verdict: 'fits' },
      ],
    });
    expect(asked(bound, 'n2').verdict).toBe('passed-over');
    const both = whyNot(reportOf(attempt({ outcome: 'unschedulable', nodes: [] }), bound), 'n2')!;
    expect(both.attempts.map(({ verdict }) => verdict)).toEqual(['absent', 'passed-over']);
    expect(renderWhyNot(both)).toContain('attempt 2 of 2');
    expect(renderWhyNot(both)).toContain('1 earlier: --every shows each');
    expect(whyNot(reportOf(bound), 'n7')).toBeUndefined();
  });

  const candidate = (node: string, priorities: number[], budgetViolations = 0, chosen = false): ExplainedCandidate => ({
    node,
    victims: priorities.map((priority, index) => ({ pod: `a/v${index}`, priority })),
    reprieved: [],
    budgetViolations,
    chosen,
  });
  const nominated = (chosen: ExplainedCandidate, other: ExplainedCandidate, best = [chosen.node]): ExplainedAttempt =>
    attempt({
      outcome: 'nominated',
      node: chosen.node,
      nodes: [chosen.node, other.node, 'full', 'far'].map((node) => ({
        node,
        verdict: 'refused',
        plugin: 'P',
        reasons: ['r'],
        code: 'Unschedulable',
      })),
      preemption: { eligible: true, candidates: [chosen, other], rejected: [{ node: 'full', reasons: ['no'] }], decidedBy: 'x', best },
    });

  it.each([
    ['numPDBViolations', candidate('n1', [5, 5], 0, true), candidate('n2', [1], 1)],
    ['highestPriority', candidate('n1', [4, 4], 0, true), candidate('n2', [5])],
    ['sumPriorities', candidate('n1', [5], 0, true), candidate('n2', [5, -100])],
    ['latestStartTime', candidate('n1', [5], 0, true), candidate('n2', [5])],
  ])('names the criterion by which another node was cheaper: %s', (criterion, chosen, other) => {
    expect(asked(nominated(chosen, other), 'n2').preemption).toMatchObject({
      result: 'candidate',
      lostBy: criterion,
      lostTo: { node: 'n1' },
    });
  });

  it('knows ties, nodes that removal would not help, and nodes that were not reached', () => {
    const tie = nominated(candidate('n1', [5], 0, true), candidate('n2', [5]), ['n1', 'n2']);
    expect(asked(tie, 'n2').preemption).toMatchObject({ lostBy: 'tie' });
    expect(asked(tie, 'full').preemption).toEqual({ result: 'no-candidate', reasons: ['no'] });
    expect(asked(tie, 'far').preemption).toEqual({ result: 'not-reached' });
    expect(asked({ ...tie, preemption: { ...tie.preemption!, eligible: false } }, 'n2').preemption).toEqual({ result: 'not-eligible' });
  });
});
