import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exceptions } from './api/compare/exceptions';

describe('docs/fidelity.md', async () => {
  const { eventStorePart, exceptionsPart, incidentDecisionsPart, inClusterPart, kindsPart, schedulerPart, sessionsPart } =
    await import('../../scripts/docs/fidelity-page.mjs');

  it('tells agreement by aspect and by file; what does not agree stands out, and nothing is rounded up', () => {
    const text = schedulerPart('v1.2.3', [
      { file: 'a.jsonl', passed: 10, failed: 0, aspects: [['filter', { agreed: 9_999, compared: 9_999 }]] },
      {
        file: 'b.jsonl',
        passed: 9,
        failed: 1,
        aspects: [
          ['filter', { agreed: 9_999, compared: 10_000 }],
          ['message', { agreed: 5, compared: 5 }],
        ],
      },
    ]);
    expect(text).toContain('**v1.2.3: 19 of 20 recorded scenarios agree in everything (95.00 %).**');
    expect(text).toMatch(/\| filter \|.*\| 99\.99 % \| 19998 \/ 19999 \|/);
    expect(text).toContain('| a | 10 / 10 | 9999 |  |\n| b | 9 / 10 | 9999 / 10000 | 5 |');
  });

  it('tells the areas of the event store, with what stands apart by its name', () => {
    const text = eventStorePart(
      'EventStoreDB 1.2',
      [
        { area: 'all', passed: 3, sequences: 3, steps: 30, agreed: 28, exceptions: { politely: 2 } },
        { area: 'read', passed: 1, sequences: 2, steps: 10, agreed: 9, exceptions: {} },
      ],
      { politely: 'said better', never: 'not there' },
    );
    expect(text).toContain('**EventStoreDB 1.2: 4 of 5 recorded sequences agree (80.00 %), of 40 calls');
    expect(text).toContain('| Area | Sequences | Steps that agree | politely |');
    expect(text).toContain('| all | 3 / 3 | 28 / 28 | 2 |\n| read | 1 / 2 | 9 / 10 |  |');
    expect(text).toContain('- *politely*: said better.');
  });

  it('tells what went through a cluster, and what was left out', () => {
    const files = new Map([
      ['z.jsonl', { agreed: 1, played: 2 }],
      ['a.jsonl', { agreed: 3, played: 3 }],
    ]);
    const text = inClusterPart('v1.2.3', { files, left: new Map([['too large', 7]]), verified: { agreed: 8, differ: 1, notDerivable: 0 } });
    expect(text).toContain('4 of 5 scenarios applied to a cluster');
    expect(text).toContain(
      'hold 9 decisions. Controllers that are run again on these logs make 8 of them as recorded and 1 otherwise; 0 are not derivable.',
    );
    expect(text.indexOf('| a | 3 / 3 |')).toBeLessThan(text.indexOf('| z | 1 / 2 |'));
    expect(text).toContain('| too large | 7 |');
  });

  it('names each preemption that differs', () => {
    const preemption = { preemptor: 'a/high', node: 'n1' };
    const agrees = { preemption, difference: undefined, agreesAtMs: 0 };
    const late = { preemption, difference: 'fits on n2', agreesAtMs: 5 };
    const differs = { preemption, difference: 'n3 would be chosen', agreesAtMs: undefined };
    const text = incidentDecisionsPart('v1.2.3', [{ name: 'one', decisions: [agrees, late, differs] }]);
    expect(text).toContain('2 of 3 recorded preemptions');
    expect(text).toContain('1 of them agree on the state a few milliseconds earlier only');
    expect(text).toContain('- one, a/high on n1: n3 would be chosen');
    expect(incidentDecisionsPart('v1.2.3', [{ name: 'one', decisions: [agrees] }])).not.toContain('What differs');
  });

  it('sums sessions up, and does not count what was skipped', () => {
    const step = { differences: [] };
    const sessions = [
      { session: 'good', total: 2, steps: [step, step] },
      { session: 'bad', total: 3, steps: [step, { differences: [1] }] },
      { session: 'absent', total: 9, steps: [], skipped: 'no kubectl' },
    ];
    const text = sessionsPart('v1.2.3', sessions, { what: 'sessions', unit: 'steps' });
    expect(text).toContain('3 of 5 steps agree (60.00 %), in 2 sessions');
    expect(text).toContain('1 more were skipped');
    expect(text).toContain('| bad | 1 / 3 |');
    expect(text).toContain('Without a difference: good (2).');
  });

  it('tells what waits apart from what agrees', () => {
    const difference = [{ path: 'a', text: 'x' }];
    const steps = [
      { step: 1, differences: [] },
      { step: 2, differences: difference, waitsFor: 'quota' },
      { step: 3, differences: difference },
    ];
    const text = sessionsPart('v1.2.3', [{ session: 's', total: 3, steps }], { what: 'sessions', unit: 'steps' });
    expect(text).toContain('1 of 3 steps agree (33.33 %)');
    expect(text).toContain('Of the others 1 wait for what is not built yet: 1 for quota.');
  });

  it('tells recordings that are played kind by kind, and which kinds differ', () => {
    const step = (...texts: string[]) => ({ step: 1, differences: texts.map((text) => ({ path: 'a', text })) });
    const results = [
      { session: 'Pod', total: 2, steps: [step(), step('x')] },
      { session: 'Node', total: 1, steps: [step()] },
      { session: 'Gone', total: 1, steps: [], skipped: 'not served' },
    ];
    expect(kindsPart('v1.2.3', [{ what: 'patches', results }])).toContain('| patches | 2 | 2 / 3 | 66.66 % | Pod 1 |');
  });

  it('shows every exception that the comparisons make, with its argument', () => {
    const page = readFileSync(join(__dirname, '../../docs/fidelity.md'), 'utf8');
    for (const list of Object.values(exceptions)) expect(page).toContain(exceptionsPart(list));
  });
});
