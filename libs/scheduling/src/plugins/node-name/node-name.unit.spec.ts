import { describe, expect, it } from 'vitest';
import { makeNode, makePod, verdicts } from '../../cluster.fixture';

describe('NodeName', () => {
  it('lets a pod that names its node go nowhere else', () => {
    const nodes = [makeNode('a'), makeNode('b')];
    expect(verdicts({ nodes }, makePod('p', { nodeName: 'b' }))).toEqual({
      a: "NodeName: node(s) didn't match the requested node name",
      b: 'fits',
    });
  });
});
