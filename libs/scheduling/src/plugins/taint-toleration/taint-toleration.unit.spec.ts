import { describe, expect, it } from 'vitest';
import { makeNode, makePod, scoresOf, verdicts } from '../../cluster.fixture';

const refused = 'TaintToleration: node(s) had untolerated taint(s)';
const taint = (effect: string, key = 'dedicated', value = 'x') => ({ key, value, effect });

describe('TaintToleration', () => {
  const nodes = [
    makeNode('none'),
    makeNode('schedule', { taints: [taint('NoSchedule')] }),
    makeNode('execute', { taints: [taint('NoExecute')] }),
  ];

  it('refuses NoSchedule and NoExecute taints alike', () => {
    expect(verdicts({ nodes }, makePod('p'))).toEqual({ none: 'fits', schedule: refused, execute: refused });
  });

  it.each([
    ['Exists without key tolerates all', { operator: 'Exists' }, ['fits', 'fits']],
    ['an empty effect matches all effects', { key: 'dedicated', operator: 'Exists' }, ['fits', 'fits']],
    ['Equal is the default operator', { key: 'dedicated', value: 'x' }, ['fits', 'fits']],
    ['another value does not match', { key: 'dedicated', value: 'y' }, [refused, refused]],
    ['an effect matches only itself', { key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }, ['fits', refused]],
    ['an unknown operator matches nothing', { key: 'dedicated', operator: 'Like', value: 'x' }, [refused, refused]],
  ])('%s', (_rule, toleration, [schedule, execute]) => {
    expect(verdicts({ nodes }, makePod('p', { tolerations: [toleration] }))).toEqual({ none: 'fits', schedule, execute });
  });

  it('scores by how many PreferNoSchedule taints are not tolerated: 0, 1, 2 of 2 give 100, 50, 0, times weight 3', () => {
    const soft = [
      makeNode('zero'),
      makeNode('one', { taints: [taint('PreferNoSchedule', 'a')] }),
      makeNode('two', { taints: [taint('PreferNoSchedule', 'a'), taint('PreferNoSchedule', 'b')] }),
    ];
    expect(scoresOf({ nodes: soft }, makePod('p'), 'TaintToleration')).toEqual({ zero: 300, one: 150, two: 0 });
    const tolerations = [
      { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'b', operator: 'Exists' },
    ];
    expect(scoresOf({ nodes: soft }, makePod('p', { tolerations }), 'TaintToleration')).toEqual({ zero: 300, one: 0, two: 0 });
  });
});
