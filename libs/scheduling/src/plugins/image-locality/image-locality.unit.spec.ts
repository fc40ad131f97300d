import { describe, expect, it } from 'vitest';
import { makeNode, makePod, scoresOf } from '../../cluster.fixture';

describe('ImageLocality', () => {
  it('weighs an image by its size and how many nodes hold it: 500 MiB on one of two nodes give 23', () => {
    const nodes = [makeNode('has', { images: [{ names: ['registry/app:v1'], sizeBytes: 524288000 }] }), makeNode('lacks')];
    expect(scoresOf({ nodes }, makePod('p', { containers: [{ name: 'c', image: 'registry/app:v1' }] }), 'ImageLocality')).toEqual({
      has: 23,
      lacks: 0,
    });
  });

  it('takes a name without tag as latest, and a colon before the last slash as a port', () => {
    const nodes = [makeNode('has', { images: [{ names: ['host:5000/app:latest'], sizeBytes: 1048576000 }] }), makeNode('lacks')];
    const scores = scoresOf({ nodes }, makePod('p', { containers: [{ name: 'c', image: 'host:5000/app' }] }), 'ImageLocality');
    expect(scores?.has).toBeGreaterThan(0);
  });
});
