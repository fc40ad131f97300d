import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { currentAnnotations } from './annotations';
import { sameTemplate, templateHash } from './template-hash';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';

function annotated(annotations: Record<string, string>): KubeObject {
  return { metadata: { name: 'x', uid: 'x', creationTimestamp: '', annotations }, spec: {} };
}

describe('annotations of a ReplicaSet', () => {
  it('are those of its Deployment, but for the ones that are its own', () => {
    const deployment = annotated({ note: 'n', [revision]: '7', 'kubectl.kubernetes.io/last-applied-configuration': '{}' });
    expect(currentAnnotations(deployment, undefined, 3)).toEqual({ note: 'n', [revision]: '3' });
  });

  it('keep the revisions that a rollback leaves behind', () => {
    expect(currentAnnotations(annotated({}), annotated({ [revision]: '1' }), 3)).toEqual({ [revision]: '3', [history]: '1' });
    expect(currentAnnotations(annotated({}), annotated({ [revision]: '3', [history]: '1' }), 5)).toEqual({
      [revision]: '5',
      [history]: '1,3',
    });
  });

  it('never go back to a lower revision, nor touch one that is no number', () => {
    expect(currentAnnotations(annotated({}), annotated({ [revision]: '9' }), 3)).toEqual({ [revision]: '9' });
    expect(currentAnnotations(annotated({}), annotated({ [revision]: 'nine' }), 3)).toEqual({ [revision]: 'nine' });
  });

  it('keep a bounded history', () => {
    const long = Array.from({ length: 600 }, (_, index) => String(index + 1000)).join(',');
    const kept = currentAnnotations(annotated({}), annotated({ [revision]: '1600', [history]: long }), 1601)[history] as string;
    expect(kept.length).toBeLessThanOrEqual(2_000);
    expect(kept.endsWith(',1600')).toBe(true);
  });
});

describe('the template hash', () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };

  it('hangs on the content and not on the order of keys', () => {
    const turned = { spec: { containers: [{ image: 'app:1', name: 'c' }] }, metadata: { labels: { app: 'web' } } };
    expect(templateHash(turned, undefined)).toBe(templateHash(template, undefined));
    expect(templateHash({ ...template, spec: { containers: [{ name: 'c', image: 'app:2' }] } }, undefined)).not.toBe(
      templateHash(template, undefined),
    );
  });

  it('is another one after a collision, in characters that are safe in names', () => {
    expect(templateHash(template, 1)).not.toBe(templateHash(template, undefined));
    expect(templateHash(template, 1)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });

  it('is left out when templates are compared', () => {
    const labelled = { ...template, metadata: { labels: { app: 'web', 'pod-template-hash': 'abc' } } };
    expect(sameTemplate(template, labelled)).toBe(true);
    expect(sameTemplate(template, { ...labelled, metadata: { labels: { app: 'other' } } })).toBe(false);
  });
});
