import { describe, expect, it } from 'vitest';
import { makeNode, makePod, verdicts } from '../../cluster.fixture';

describe('NodeUnschedulable', () => {
  const nodes = [makeNode('cordoned', { unschedulable: true }), makeNode('open')];

  it('keeps pods off cordoned nodes', () => {
    expect(verdicts({ nodes }, makePod('p'))).toEqual({ cordoned: 'NodeUnschedulable: node(s) were unschedulable', open: 'fits' });
  });

  it('accepts a pod that tolerates what cordoning stands for', () => {
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
    expect(verdicts({ nodes }, makePod('p', { tolerations }))).toEqual({ cordoned: 'fits', open: 'fits' });
  });
});
