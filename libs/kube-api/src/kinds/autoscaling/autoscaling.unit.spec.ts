import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { validateCreate } from '../../validation';
import type { Loose } from '../../validation/values';
import type { KindConversion } from '../behaviour';
import { releaseKinds } from '../release';
import type { ResourceKind } from '../resource-kind';

const v1 = releaseKinds.findResource('autoscaling', 'v1', 'horizontalpodautoscalers') as ResourceKind;
const v2 = releaseKinds.kindOf('horizontalpodautoscalers.autoscaling');
const { toStorage, fromStorage } = v1.conversion as KindConversion;
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

const object = (spec: object, metadata: object = {}, status: object = {}): KubeObject =>
  ({
    metadata: { name: 'h', namespace: 'n', ...metadata },
    spec: { scaleTargetRef, maxReplicas: 5, ...spec },
    status,
  }) as unknown as KubeObject;
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

describe('versions of autoscalers', () => {
  it('are two, of which one is stored', () => {
    expect([v2.version, v2.conversion]).toEqual(['v2', undefined]);
    expect(v1.groupResource).toBe(v2.groupResource);
  });

  it('have a field or a metric for the use of processors', () => {
    expect((toStorage(object({ targetCPUUtilizationPercentage: 70 })).spec as Loose).metrics).toEqual([cpu(70)]);
    expect((fromStorage(object({ metrics: [cpu(60)] })).spec as Loose).targetCPUUtilizationPercentage).toBe(60);
    expect((toStorage(object({})).spec as Loose).metrics).toEqual([cpu(80)]);
  });

  const metrics = [
    cpu(60),
    {
      type: 'ContainerResource',
      containerResource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' }, container: 'c' },
    },
    { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '1k' } } },
    {
      type: 'Object',
      object: {
        describedObject: scaleTargetRef,
        target: { type: 'Value', value: '10' },
        metric: { name: 'm', selector: { matchLabels: { a: 'b' } } },
      },
    },
    { type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '30' } } },
  ];
  it('are shown as one another also before anybody has found out what is missing', () => {
    const empty = [
      { type: 'ContainerResource', containerResource: { name: 'memory', container: 'c' } },
      { type: 'Resource', resource: { name: 'memory', target: null } },
      { type: 'Pods', pods: {} },
      { type: 'Object', object: {} },
      { type: 'External', external: {} },
    ];
    const shown = fromStorage(object({ metrics: empty }, {}, { currentMetrics: empty }));
    expect((toStorage(shown).spec as Loose).metrics.map(({ type }: Loose) => type)).toEqual(empty.map(({ type }) => type));
  });

  const policies = [{ type: 'Pods', value: 4, periodSeconds: 15 }];
  const behavior = { scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies } };
  const status = {
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 3 } } }],
    conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: null }],
  };

  it('carry what the other has no field for in annotations, and take it back', () => {
    const stored = object({ minReplicas: 1, metrics, behavior }, { annotations: { own: 'x' } }, status);
    const shown = fromStorage(stored);
    expect(Object.keys(shown.metadata.annotations ?? {})).toEqual([
      'autoscaling.alpha.kubernetes.io/behavior',
      'autoscaling.alpha.kubernetes.io/conditions',
      'autoscaling.alpha.kubernetes.io/current-metrics',
      'autoscaling.alpha.kubernetes.io/metrics',
      'own',
    ]);
    expect(shown.metadata.annotations?.['autoscaling.alpha.kubernetes.io/behavior']).toBe(
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
    );
    expect(shown).toMatchObject({
      spec: { targetCPUUtilizationPercentage: 60 },
      status: { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 3 },
    });
    const back = toStorage(shown);
    expect(back.metadata.annotations).toEqual({ own: 'x' });
    // The metric that v1 has a field for comes last by that way, as it does upstream.
    expect((back.spec as Loose).metrics).toEqual([...metrics.slice(1), metrics[0]]);
    expect((back.spec as Loose).behavior).toEqual(behavior);
    expect(back.status).toEqual(status);
  });

  it('pass over annotations that cannot be read, and drop them', () => {
    const bogus = { 'autoscaling.alpha.kubernetes.io/metrics': 'bogus', 'autoscaling.alpha.kubernetes.io/conditions': '[{"type":5}]' };
    const stored = toStorage(object({ targetCPUUtilizationPercentage: 70 }, { annotations: bogus }));
    expect(stored.metadata.annotations).toBeUndefined();
    expect((stored.spec as Loose).metrics).toEqual([cpu(70)]);
    expect((stored.status as Loose).conditions).toBeUndefined();
  });

  it('read names in annotations in any case of letters', () => {
    const annotations = {
      'autoscaling.alpha.kubernetes.io/behavior': '{"scaledown":{"policies":[{"TYPE":"Percent","value":1,"periodSeconds":2}]}}',
    };
    expect((toStorage(object({}, { annotations })).spec as Loose).behavior).toEqual({
      scaleDown: { policies: [{ type: 'Percent', value: 1, periodSeconds: 2 }] },
    });
  });
});

describe('an autoscaler', () => {
  const errors = (spec: object) => validateCreate(v2, applyDefaults(v2, object(spec))).map(fieldErrorText);

  it('fills in the pace of both directions where one is given', () => {
    const { spec } = applyDefaults(v2, object({ behavior: { scaleDown: { selectPolicy: 'Min' } } })) as Loose;
    expect(spec).toMatchObject({ minReplicas: 1, metrics: [cpu(80)] });
    expect(spec.behavior).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    });
  });

  it('names what it scales, and at least one replica', () => {
    expect(errors({})).toEqual([]);
    expect(errors({ minReplicas: 0 })).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
    expect(errors({ scaleTargetRef: { kind: 'Deployment', name: 'd' } })).toEqual([
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ]);
    expect(errors({ scaleTargetRef: { kind: 'ReplicationController', name: 'd', apiVersion: 'v1' } })).toEqual([]);
  });

  it('has one source a metric', () => {
    const two = { ...cpu(1), pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } };
    expect(errors({ metrics: [two] })).toEqual(['spec.metrics[0].pods: Forbidden: must populate the given metric source only']);
    expect(errors({ metrics: [{ type: 'Pods' }] })).toEqual([
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ]);
  });

  it('shows two metrics and how many more there are', () => {
    const pods = { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } };
    const of = object(
      { minReplicas: 1, metrics: [cpu(60), pods, pods] },
      {},
      { currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 3 } } }] },
    );
    expect(printObjectTable(v2, of, { now: 0 }).rows[0]?.cells.slice(0, 6)).toEqual([
      'h',
      'Deployment/d',
      'cpu: 3%/60%, <unknown>/5 + 1 more...',
      '1',
      5,
      0,
    ]);
  });
});
