import { describe, expect, it } from 'vitest';
import { attempt, makeNode, makePod } from '../cluster.fixture';

describe('preemption that is switched off', () => {
  const cluster = { nodes: [makeNode('n')], pods: [makePod('low', { nodeName: 'n', cpu: '4' })] };
  const preempts = (config?: object): boolean => {
    const result = attempt({ ...cluster, config }, makePod('high', { cpu: '4', priority: 100 }));
    return result.kind === 'unschedulable' && result.postFilter?.nominatedNodeName === 'n';
  };

  it.each([
    ['nobody says so', undefined, true],
    [
      'by the profile',
      {
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        profiles: [{ plugins: { postFilter: { disabled: [{ name: 'DefaultPreemption' }] } } }],
      },
      false,
    ],
    [
      'by disablePreemption, as in the first configuration files',
      {
        apiVersion: 'kubescheduler.config.k8s.io/v1alpha1',
        kind: 'KubeSchedulerConfiguration',
        algorithmSource: { provider: 'DefaultProvider' },
        disablePreemption: true,
      },
      false,
    ],
  ] as const)('%s', (_how, config, expected) => {
    expect(preempts(config)).toBe(expected);
  });
});
