import { describe, expect, it } from 'vitest';
import { attempt, makeNode, makePod, verdicts } from '../../cluster.fixture';

const reason = (...reasons: string[]) => `NodeResourcesFit: ${reasons.join(', ')}`;

describe('NodeResourcesFit, filter', () => {
  const node = makeNode('n', { cpu: '4', memory: '8Gi', pods: '2', allocatable: { 'example.com/gpu': '2' } });
  const used = makePod('used', { nodeName: 'n', cpu: '3', memory: '7Gi' });

  it('names everything that is short', () => {
    const full = [used, makePod('other', { nodeName: 'n' })];
    expect(verdicts({ nodes: [node], pods: full }, makePod('p', { cpu: '2', memory: '2Gi' })).n).toBe(
      reason('Too many pods', 'Insufficient cpu', 'Insufficient memory'),
    );
  });

  it('does not look at resources that are not asked for, but a pod always needs its place', () => {
    const over = makePod('over', { nodeName: 'n', cpu: '9' });
    expect(verdicts({ nodes: [node], pods: [over] }, makePod('p')).n).toBe('fits');
    expect(verdicts({ nodes: [node], pods: [over, used] }, makePod('p')).n).toBe(reason('Too many pods'));
  });

  it('is beyond help when the request exceeds the allocatable as such', () => {
    const codes = [makePod('p', { cpu: '2' }), makePod('q', { cpu: '5' })].map((pod) => {
      const result = attempt({ nodes: [node], pods: [used] }, pod);
      return result.kind === 'unschedulable' && result.diagnosis.statusOf('n').code;
    });
    expect(codes).toEqual(['Unschedulable', 'UnschedulableAndUnresolvable']);
  });

  it('knows extended resources, except those the profile ignores', () => {
    const gpus = (count: string) => makePod('p', { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': count } } }] });
    expect(verdicts({ nodes: [node] }, gpus('2')).n).toBe('fits');
    expect(verdicts({ nodes: [node] }, gpus('3')).n).toBe(reason('Insufficient example.com/gpu'));
    for (const args of [{ ignoredResources: ['example.com/gpu'] }, { ignoredResourceGroups: ['example.com'] }]) {
      expect(verdicts({ nodes: [node], config: { profiles: [{ pluginConfig: [{ name: 'NodeResourcesFit', args }] }] } }, gpus('3')).n).toBe(
        'fits',
      );
    }
  });
});
