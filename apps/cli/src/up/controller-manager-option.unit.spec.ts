import { describe, expect, it } from 'vitest';
import { controllerManagerSettings } from './controller-manager-option';

describe('flags of kube-controller-manager', () => {
  it('set nothing where they are absent', () => {
    expect(controllerManagerSettings({})).toEqual({});
  });

  it('are durations, rates and numbers', () => {
    const nodes = { nodeMonitorGracePeriod: '20s', nodeStartupGracePeriod: '1m30s', largeClusterSizeThreshold: '5' };
    const rates = { nodeEvictionRate: '1', secondaryNodeEvictionRate: '.05', unhealthyZoneThreshold: '0.5' };
    expect(controllerManagerSettings({ ...nodes, ...rates, terminatedPodGcThreshold: '0' })).toEqual({
      nodeLifecycle: {
        monitorGraceMs: 20_000,
        startupGraceMs: 90_000,
        largeClusterThreshold: 5,
        evictionRate: 1,
        secondaryEvictionRate: 0.05,
        unhealthyZoneThreshold: 0.5,
      },
      podGC: { terminatedPodThreshold: 0 },
    });
  });

  it('are refused as anything else, by their names', () => {
    expect(() => controllerManagerSettings({ nodeMonitorGracePeriod: 'soon' })).toThrow('--node-monitor-grace-period: "soon"');
    expect(() => controllerManagerSettings({ nodeEvictionRate: '-1' })).toThrow('--node-eviction-rate: "-1"');
    expect(() => controllerManagerSettings({ terminatedPodGcThreshold: '1.5' })).toThrow('--terminated-pod-gc-threshold: "1.5"');
  });
});
