import { describe, expect, it } from 'vitest';
import { attempt, makeNode, makePod, scoresOf, verdicts } from '../../cluster.fixture';
import type { RawNodeSelectorTerm } from '../../framework/selectors';

const refused = "NodeAffinity: node(s) didn't match Pod's node affinity/selector";
const nodes = [
  makeNode('a', { labels: { disk: 'ssd', cores: '8' } }),
  makeNode('b', { labels: { disk: 'hdd', cores: 'many' } }),
  makeNode('c'),
];

function required(...nodeSelectorTerms: RawNodeSelectorTerm[]) {
  return makePod('p', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });
}
const expression = (key: string, operator: string, ...values: string[]) => ({ matchExpressions: [{ key, operator, values }] });
const named = (operator: string, ...values: string[]) => ({ matchFields: [{ key: 'metadata.name', operator, values }] });

describe('NodeAffinity', () => {
  it('wants every label of nodeSelector', () => {
    expect(verdicts({ nodes }, makePod('p', { nodeSelector: { disk: 'ssd', cores: '8' } }))).toEqual({ a: 'fits', b: refused, c: refused });
  });

  it.each([
    ['In', expression('disk', 'In', 'ssd', 'nvme'), 'a'],
    ['NotIn matches a node without the label', expression('disk', 'NotIn', 'ssd'), 'b c'],
    ['Exists', expression('disk', 'Exists'), 'a b'],
    ['DoesNotExist', expression('disk', 'DoesNotExist'), 'c'],
    ['Gt compares integers, a label that is none does not match', expression('cores', 'Gt', '4'), 'a'],
    ['Lt', expression('cores', 'Lt', '9'), 'a'],
    ['a malformed expression matches nothing', expression('disk', 'In'), ''],
    ['an empty term matches nothing', {}, ''],
  ])('%s', (_rule, term, expected) => {
    const result = verdicts({ nodes }, required(term));
    expect(
      Object.keys(result)
        .filter((node) => result[node] === 'fits')
        .join(' '),
    ).toBe(expected);
  });

  it('ORs terms and ANDs the expressions of one', () => {
    const both = {
      matchExpressions: [
        { key: 'disk', operator: 'Exists' },
        { key: 'cores', operator: 'In', values: ['8'] },
      ],
    };
    expect(verdicts({ nodes }, required(both, named('In', 'c')))).toEqual({ a: 'fits', b: refused, c: 'fits' });
  });

  it('looks at no other node where every term names one', () => {
    const result = attempt({ nodes }, required(named('In', 'a'), named('In', 'c', 'gone')));
    expect(result.kind === 'bound' && [...(result.diagnosis.nodeNames ?? [])]).toEqual(['a', 'c', 'gone']);
    expect(verdicts({ nodes }, required(named('In', 'b')))).toMatchObject({
      a: "undefined: node(s) didn't satisfy plugin(s) [NodeAffinity]",
    });
  });

  it('refuses at once when the names of every term exclude each other', () => {
    const result = attempt({ nodes }, required({ matchFields: [...named('In', 'a').matchFields, ...named('In', 'b').matchFields] }));
    expect(result).toMatchObject({ kind: 'unschedulable', message: '0/3 nodes are available: pod affinity terms conflict. not found' });
  });

  it('adds the affinity of the profile to every pod', () => {
    const addedAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [expression('disk', 'Exists')] } };
    const config = { profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { addedAffinity } }] }] };
    expect(verdicts({ nodes, config }, makePod('p')).c).toBe("NodeAffinity: node(s) didn't match scheduler-enforced node affinity");
  });

  it('scores the sum of matching preferences, scaled by the best: 10, 50, 0 give 20, 100, 0, times weight 2', () => {
    const preferred = [
      { weight: 10, preference: expression('disk', 'In', 'ssd') },
      { weight: 50, preference: expression('disk', 'In', 'hdd') },
    ];
    const pod = makePod('p', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } });
    expect(scoresOf({ nodes }, pod, 'NodeAffinity')).toEqual({ a: 40, b: 200, c: 0 });
    expect(scoresOf({ nodes }, makePod('p'), 'NodeAffinity')).toBeUndefined();
  });
});
