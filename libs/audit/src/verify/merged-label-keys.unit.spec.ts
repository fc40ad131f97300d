import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { beforeLabelKeys } from './merged-label-keys';

const pod = (spec: JsonObject): KubeObject => ({
  metadata: { name: 'p', uid: 'u', creationTimestamp: '', labels: { app: 'web', hash: 'h1' } },
  spec,
});
const own = { key: 'app', operator: 'Exists' };
const merged = { key: 'hash', operator: 'In', values: ['h1'] };
const avoided = { key: 'app', operator: 'NotIn', values: ['web'] };

describe('a pod as it was asked for', () => {
  it('has no requirement that its matchLabelKeys and mismatchLabelKeys have made', () => {
    const keys = { matchLabelKeys: ['hash', 'absent'], mismatchLabelKeys: ['app'] };
    const term = (matchExpressions?: JsonObject[]) => ({ ...keys, labelSelector: matchExpressions ? { matchExpressions } : {} });
    const spec = (matchExpressions?: JsonObject[]): JsonObject => ({
      topologySpreadConstraints: [term(matchExpressions)],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(matchExpressions)] },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(matchExpressions) }] },
      },
    });
    expect(beforeLabelKeys(pod(spec([own, merged, avoided])))).toEqual(pod(spec([own])));
    expect(beforeLabelKeys(pod(spec([merged, avoided])))).toEqual(pod(spec()));
  });

  it('is left alone where the requirements are not there as the keys make them', () => {
    const constraint = { matchLabelKeys: ['hash'], labelSelector: { matchExpressions: [{ ...merged, values: ['h2'] }] } };
    const edited = pod({ topologySpreadConstraints: [constraint] });
    expect(beforeLabelKeys(edited)).toEqual(edited);
  });
});
