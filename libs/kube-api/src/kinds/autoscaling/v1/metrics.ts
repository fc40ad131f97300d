import { isSet, type Loose } from '../../../validation/values';

/** Metrics of autoscaling/v1, as its annotations have them, and of v2: the same under other names. A field that is absent stays so. */

/** Where a metric of v2 has its values: those that it is to have, or those that were found. In v1 their names begin with it. */
type Side = 'target' | 'current';

export const specFromV1 = (metric: Loose): object => fromV1(metric, 'target');
export const specToV1 = (metric: Loose): object => toV1(metric, 'target');
export const statusFromV1 = (metric: Loose): object => fromV1(metric, 'current');
export const statusToV1 = (metric: Loose): object => toV1(metric, 'current');

function fromV1({ type, object, pods, resource, containerResource, external }: Loose, side: Side): object {
  return {
    type,
    object: object && {
      describedObject: object.target,
      metric: identified(object.metricName, object.selector),
      [side]: measured(side, isSet(object.averageValue) ? 'AverageValue' : 'Value', {
        value: object[`${side}Value`],
        averageValue: object.averageValue,
      }),
    },
    pods: pods && {
      metric: identified(pods.metricName, pods.selector),
      [side]: measured(side, 'AverageValue', { averageValue: pods[`${side}AverageValue`] }),
    },
    resource: resource && resourceFromV1(resource, side),
    containerResource: containerResource && { ...resourceFromV1(containerResource, side), container: containerResource.container },
    external: external && {
      metric: identified(external.metricName, external.metricSelector),
      [side]: measured(side, isSet(external[`${side}Value`]) ? 'Value' : 'AverageValue', {
        value: external[`${side}Value`],
        averageValue: external[`${side}AverageValue`],
      }),
    },
  };
}

const identified = (name: unknown, selector: unknown): object => ({ name, selector });

/** A target also says what it is measured by, which in v1 follows from the values that it has. */
const measured = (side: Side, type: string, values: object): object => (side === 'target' ? { type, ...values } : values);

function resourceFromV1(resource: Loose, side: Side): object {
  const averageUtilization = resource[`${side}AverageUtilization`];
  const averageValue = resource[`${side}AverageValue`];
  const type = isSet(averageUtilization) ? 'Utilization' : 'AverageValue';
  return { name: resource.name, [side]: measured(side, type, { averageValue, averageUtilization }) };
}

/** What Go holds as a struct is there, if only empty: what is converted need not be valid yet. */
const held = (struct: Loose | null | undefined): Loose => struct ?? {};

function toV1({ type, object, pods, resource, containerResource, external }: Loose, side: Side): object {
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: held(object.metric).name,
      [`${side}Value`]: held(object[side]).value,
      selector: held(object.metric).selector,
      averageValue: held(object[side]).averageValue,
    },
    pods: pods && {
      metricName: held(pods.metric).name,
      [`${side}AverageValue`]: held(pods[side]).averageValue,
      selector: held(pods.metric).selector,
    },
    resource: resource && resourceToV1(resource, side),
    containerResource: containerResource && { ...resourceToV1(containerResource, side), container: containerResource.container },
    external: external && {
      metricName: held(external.metric).name,
      metricSelector: held(external.metric).selector,
      [`${side}Value`]: held(external[side]).value,
      [`${side}AverageValue`]: held(external[side]).averageValue,
    },
  };
}

const resourceToV1 = (resource: Loose, side: Side): object => ({
  name: resource.name,
  [`${side}AverageUtilization`]: held(resource[side]).averageUtilization,
  [`${side}AverageValue`]: held(resource[side]).averageValue,
});
